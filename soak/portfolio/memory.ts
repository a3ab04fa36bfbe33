/** What a worker takes of the machine's memory, every second of its life; judged by its longest one. */
import { readFileSync } from 'node:fs';
import type { Memory } from './types.js';

const EVERY_MS = 1_000;
/** A life is judged from this length on: below it, a worker is still warming up. */
const FEWEST_SAMPLES = 40;
/** A heap breathes with its collector. */
const MOST_GROWTH = 1.15;
const ALLOWED_MB = 20;

export interface MemoryWatch {
  /** From now on this process; a new life begins. */
  follow(pid: number): void;
  /** Samples of each life, in MB. */
  stop(): readonly (readonly number[])[];
}

export function watchMemory(): MemoryWatch {
  const lives: number[][] = [];
  let pid: number | undefined;
  const timer = setInterval(() => {
    const megabytes = pid === undefined ? undefined : rssOf(pid);
    if (megabytes !== undefined) lives.at(-1)?.push(megabytes);
  }, EVERY_MS);
  return {
    follow: (next) => {
      pid = next;
      lives.push([]);
    },
    stop: () => {
      clearInterval(timer);
      return lives;
    },
  };
}

/** Null where nothing was told. Pure. */
export function longestLife(lives: readonly (readonly number[])[]): Memory | null {
  const [longest = []] = [...lives].sort((left, right) => right.length - left.length);
  if (longest.length === 0) return null;
  const quarter = Math.ceil(longest.length / 4);
  const second = longest.slice(quarter, 2 * quarter);
  return {
    start: median(second.length === 0 ? longest : second),
    end: median(longest.slice(-quarter)),
    samples: longest.length,
  };
}

/** Too short a life proves nothing and accuses nobody. Pure. */
export function isFlat({ start, end, samples }: Memory): boolean {
  return samples < FEWEST_SAMPLES || end <= start * MOST_GROWTH + ALLOWED_MB;
}

export function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

/** Undefined where the process is gone, or the system has no /proc. */
function rssOf(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1_024);
  } catch {
    return undefined;
  }
}
