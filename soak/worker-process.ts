/** Worker processes as they are installed, killed with SIGKILL and frozen with SIGSTOP; always by their own pid. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../src/local/index.js';

export interface WorkerProcess {
  readonly pid: number;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP, and SIGCONT after `ms`. */
  freeze(ms: number): Promise<void>;
  isAlive(): boolean;
}

const READY_WITHIN_MS = 60_000;

/** `root`: a copy of the compiled tree with a defect in it; the package's own where absent. */
export async function startWorkerProcess(
  env: Readonly<Record<string, string>>,
  root = join(packageRoot(), 'dist'),
): Promise<WorkerProcess> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(root, 'src', 'cli', 'main.js'), 'worker', '--json'], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await untilReady(child);
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? -1,
    isAlive,
    kill: async () => {
      if (isAlive()) child.kill('SIGKILL');
      await gone;
    },
    freeze: async (ms) => {
      if (!isAlive()) return;
      child.kill('SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, ms));
      if (isAlive()) child.kill('SIGCONT');
    },
  };
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let out = '';
    let errors = '';
    const timer = setTimeout(() => fail('was not ready in time'), READY_WITHIN_MS);
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`tramita: a worker ${why}: ${errors.slice(-2_000)}`));
    };
    child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-10_000)));
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      if (!out.includes('"ready": true')) return;
      clearTimeout(timer);
      out = '';
      resolve();
    });
    child.once('exit', (code, signal) => fail(`ended before it was ready (${code ?? signal ?? '?'}) ${out}`));
  });
}
