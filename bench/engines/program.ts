/** Programs of the bench that report when they are ready; CPU of processes with their children, and resident memory. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Program } from './contender.js';

const READY_WITHIN_MS = 60_000;
/** Length of a clock tick, in which Linux counts CPU time on all its usual platforms (`getconf CLK_TCK`). */
const MS_PER_TICK = 10;

/** Resolves with the rest of its first line, which begins with `ready`. */
export function startProgram(args: readonly string[]): Promise<Program & { readonly details: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await closed;
  };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      void kill();
      reject(new Error(`bench: ${args.slice(0, 2).join(' ')} was not ready in time: ${errors}`));
    }, READY_WITHIN_MS);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      reject(new Error(`bench: ${args.slice(0, 2).join(' ')} ended (${code ?? signal ?? '?'}): ${errors}`));
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('ready')) return;
      clearTimeout(timer);
      resolve({ pid: child.pid ?? -1, kill, details: line.slice('ready'.length).trim() });
    });
  });
}

/** CPU time so far of these processes and all their descendants, including those that have ended. */
export function cpuMsOf(pids: readonly number[]): number {
  const all = new Map(listProcesses().map((each) => [each.pid, each]));
  const wanted = new Set(pids);
  // Children may be anywhere in the list: repeated until none is added.
  for (let size = -1; size !== wanted.size;) {
    size = wanted.size;
    for (const { pid, parent } of all.values()) if (wanted.has(parent)) wanted.add(pid);
  }
  return [...wanted].reduce((sum, pid) => sum + (all.get(pid)?.cpuMs ?? 0), 0);
}

/** Resident memory in MB: now, and the peak. */
export function memoryOf(pid: number): { readonly now: number; readonly most: number } {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) / 1_024;
  return { now: read('VmRSS'), most: read('VmHWM') };
}

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly cpuMs: number;
}

function listProcesses(): readonly Listed[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): readonly Listed[] => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // After the name, which may hold anything: state, parent, …, utime, stime, cutime, cstime (proc(5), fields 4 and 14 to 17).
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
        return [{ pid: Number(name), parent: Number(fields[1]), cpuMs: ticks * MS_PER_TICK }];
      } catch {
        // The process has ended in the meantime.
        return [];
      }
    });
}
