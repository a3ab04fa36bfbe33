/**
 * How much memory a worker keeps, judged by its longest life. Resident memory varies with the garbage collector, so two figures
 * are read: the size of each heap after a full collection (V8's `--trace-gc`), and the minimum of the resident memory.
 */
import { readFileSync } from 'node:fs';
import { median } from '../numbers.js';
import { startWorkerProcess, type WorkerProcess } from '../worker-process.js';
import type { Growth, Memory } from './types.js';

const EVERY_MS = 1_000;
/** A life is judged from this length on: a shorter one is still warming up. */
const SHORTEST_S = 40;
const MOST_GROWTH = 1.15;
const ALLOWED_MB = 10;
/** `[pid:isolate] 123 ms: Mark-Compact … 45.6 (70.0) -> 26.1 (70.7) MB, …`: one heap of several, in MB. */
const COLLECTION = /^\[\d+:(0x[0-9a-f]+)\] .*: Mark-Compact.* -> ([\d.]+) \([\d.]+\) MB/gm;

/** MB at a moment of a life. */
interface Sample {
  readonly atMs: number;
  readonly mb: number;
}

export interface Life {
  readonly resident: readonly Sample[];
  /** Heap sizes after each full collection, by heap: the process has one, and one for workflow code. */
  readonly heaps: ReadonlyMap<string, readonly Sample[]>;
}

interface MemoryWatch {
  /** Watches the life of a new worker, in the place of the previous one. */
  readonly start: () => Promise<WorkerProcess>;
  readonly stop: () => readonly Life[];
}

export function watchMemory(env: Readonly<Record<string, string>>): MemoryWatch {
  const lives: { resident: Sample[]; heaps: Map<string, Sample[]> }[] = [];
  let pid: number | undefined;
  const timer = setInterval(() => {
    const mb = pid === undefined ? undefined : residentOf(pid);
    if (mb !== undefined) lives.at(-1)?.resident.push({ atMs: Date.now(), mb });
  }, EVERY_MS);
  return {
    start: async () => {
      const life = { resident: [], heaps: new Map<string, Sample[]>() };
      const onOutput = (line: string): void => {
        for (const { heap, mb } of readCollections(line)) {
          life.heaps.set(heap, [...(life.heaps.get(heap) ?? []), { atMs: Date.now(), mb }]);
        }
      };
      const worker = await startWorkerProcess(env, { nodeOptions: ['--trace-gc'], onOutput });
      lives.push(life);
      pid = worker.pid;
      return worker;
    },
    stop: () => {
      clearInterval(timer);
      return lives;
    },
  };
}

/** Pure. */
export function readCollections(text: string): readonly { readonly heap: string; readonly mb: number }[] {
  return [...text.matchAll(COLLECTION)].map(([, heap = '', mb = '']) => ({ heap, mb: Number(mb) }));
}

/** Null without samples. Pure. */
export function longestLife(lives: readonly Life[]): Memory | null {
  const seconds = ({ resident: [first, ...rest] }: Life): number =>
    first === undefined ? 0 : ((rest.at(-1) ?? first).atMs - first.atMs) / 1_000;
  const [longest] = [...lives].sort((left, right) => seconds(right) - seconds(left));
  const [first] = longest?.resident ?? [];
  if (longest === undefined || first === undefined) return null;
  const span = { startMs: first.atMs, endMs: longest.resident.at(-1)?.atMs ?? first.atMs };
  const heaps = [...longest.heaps.values()].map((samples) => growthOf(samples, span, median));
  return {
    seconds: Math.round(seconds(longest)),
    residentMb: growthOf(longest.resident, span, least),
    heapMb: {
      start: round(heaps.reduce((sum, { start }) => sum + start, 0)),
      end: round(heaps.reduce((sum, { end }) => sum + end, 0)),
    },
  };
}

/** Too short a life proves nothing and counts as flat. Pure. */
export function isFlat({ residentMb, heapMb, seconds }: Memory): boolean {
  return (
    seconds < SHORTEST_S || [residentMb, heapMb].every(({ start, end }) => end <= start * MOST_GROWTH + ALLOWED_MB)
  );
}

/** Compares the second quarter of a life with its last one; a heap without a collection in one of them counts as unchanged. */
function growthOf(
  samples: readonly Sample[],
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  figure: (values: readonly number[]) => number,
): Growth {
  const quarter = (endMs - startMs) / 4;
  const within = (fromMs: number): readonly number[] =>
    samples.filter(({ atMs }) => atMs >= fromMs && atMs <= fromMs + quarter).map(({ mb }) => mb);
  const [second, last] = [within(startMs + quarter), within(endMs - quarter)];
  const all = samples.map(({ mb }) => mb);
  return {
    start: round(figure(second.length > 0 ? second : all)),
    end: round(figure(last.length > 0 ? last : all)),
  };
}

function least(values: readonly number[]): number {
  return Math.min(...values);
}

function round(mb: number): number {
  return Math.round(mb * 10) / 10;
}

/** Undefined when the process is gone, or the system has no /proc. */
function residentOf(pid: number): number | undefined {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
  } catch {
    return undefined;
  }
}
