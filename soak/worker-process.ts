/** Workers and bridges as they are installed, killed with SIGKILL and frozen with SIGSTOP; always by their own pid. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { envOf, TRAMITA } from './command.js';

export interface WorkerProcess {
  readonly pid: number;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM, as when a worker is replaced: it finishes its charged calls. */
  stop(): Promise<void>;
  /** SIGSTOP, then SIGCONT after `ms`. */
  freeze(ms: number): Promise<void>;
  isAlive(): boolean;
}

const READY_WITHIN_MS = 60_000;

interface WorkerProcessOptions {
  readonly nodeOptions?: readonly string[];
  /** Called with each line of its standard output. */
  readonly onOutput?: (line: string) => void;
  /** Called with everything that it writes, on both outputs. */
  readonly onWritten?: (chunk: Buffer) => void;
  /** Called as soon as the process exists, before it is ready. */
  readonly onSpawn?: OnSpawn | undefined;
}

export type OnSpawn = (program: string, pid: number) => void;

export function startWorkerProcess(
  env: Readonly<Record<string, string>>,
  options: WorkerProcessOptions = {},
): Promise<WorkerProcess> {
  return start('worker', env, options);
}

export function startBridgeProcess(
  env: Readonly<Record<string, string>>,
  options: Pick<WorkerProcessOptions, 'onSpawn' | 'onWritten'> = {},
): Promise<WorkerProcess> {
  return start('bridge', env, options);
}

async function start(
  program: 'worker' | 'bridge',
  env: Readonly<Record<string, string>>,
  { nodeOptions = [], onOutput, onWritten, onSpawn }: WorkerProcessOptions,
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [...nodeOptions, TRAMITA, program, '--json'], {
    env: envOf(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) onSpawn?.(program, child.pid);
  if (onOutput !== undefined) createInterface({ input: child.stdout }).on('line', onOutput);
  if (onWritten !== undefined) for (const output of [child.stdout, child.stderr]) output.on('data', onWritten);
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await untilReady(program, child);
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? -1,
    isAlive,
    kill: async () => {
      if (isAlive()) child.kill('SIGKILL');
      await closed;
    },
    stop: async () => {
      if (isAlive()) child.kill('SIGTERM');
      await closed;
    },
    freeze: async (ms) => {
      if (!isAlive()) return;
      child.kill('SIGSTOP');
      await sleep(ms);
      if (isAlive()) child.kill('SIGCONT');
    },
  };
}

function untilReady(program: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let out = '';
    let errors = '';
    const timer = setTimeout(() => fail('was not ready in time'), READY_WITHIN_MS);
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`tramita: a ${program} ${why}: ${errors.slice(-2_000)}`));
    };
    child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-10_000)));
    const listen = (chunk: Buffer): void => {
      out += chunk.toString();
      if (!out.includes('"ready": true')) return;
      clearTimeout(timer);
      // Keeps reading and discards the output: a full pipe would block the worker.
      child.stdout?.off('data', listen).resume();
      resolve();
    };
    child.stdout?.on('data', listen);
    child.once('exit', (code, signal) => fail(`ended before it was ready (${code ?? signal ?? '?'}) ${out}`));
  });
}
