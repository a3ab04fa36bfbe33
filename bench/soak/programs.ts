/** Worker processes of a soak: the compiled `tramita worker`, known by its pid, killed, frozen, thawed and started again. */
import { spawn, type ChildProcess } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/local/index.js';
import { until } from '../../test/support/until.js';

const READY_WITHIN_MS = 90_000;

export interface WorkerProcess {
  readonly pid: number;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP, SIGCONT. */
  freeze(): void;
  thaw(): void;
}

export interface WorkerProcesses {
  /** Resolves when the worker polls. */
  start(name: string, env: Readonly<Record<string, string>>): Promise<WorkerProcess>;
  /** SIGKILL for whatever still runs, frozen or not. */
  killAll(): Promise<void>;
}

export function createWorkerProcesses(logDir: string): WorkerProcesses {
  const living = new Set<WorkerProcess>();
  const main = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
  return {
    start: async (name, env) => {
      const logFile = join(logDir, `${name}.log`);
      const log = openSync(logFile, 'a');
      const { PATH = '', HOME = '' } = process.env;
      const child = spawn(process.execPath, [main, 'worker', '--json'], {
        env: { PATH, HOME, ...env },
        stdio: ['ignore', 'pipe', log],
      });
      let printed = '';
      child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      const worker = handleOf(child, (ended) => living.delete(ended));
      living.add(worker);
      await until(
        () => {
          if (child.exitCode !== null) {
            throw new Error(
              `soak: ${name} ended with ${child.exitCode}:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`,
            );
          }
          return printed.includes('"ready": true') ? true : undefined;
        },
        { withinMs: READY_WITHIN_MS, everyMs: 20, what: `${name} to be ready` },
      );
      return worker;
    },
    killAll: async () => {
      await Promise.all([...living].map((worker) => worker.kill()));
    },
  };
}

function handleOf(child: ChildProcess, onEnd: (worker: WorkerProcess) => void): WorkerProcess {
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const worker: WorkerProcess = {
    pid: child.pid ?? -1,
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
      onEnd(worker);
    },
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
  };
  return worker;
}
