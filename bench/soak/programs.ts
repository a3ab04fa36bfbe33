/** Worker processes of a run: the compiled `tramita worker`, started, and all of them killed at the end by their own pid. */
import { spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/local/index.js';
import { until } from '../../test/support/until.js';

const READY_WITHIN_MS = 90_000;

export interface WorkerProcesses {
  /** Resolves when the worker polls. */
  start(name: string, env: Readonly<Record<string, string>>): Promise<void>;
  /** SIGKILL for whatever still runs; resolves when all are gone. */
  killAll(): Promise<void>;
}

export function createWorkerProcesses(logDir: string): WorkerProcesses {
  const kills: (() => Promise<void>)[] = [];
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
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
      kills.push(() => {
        if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
        return ended;
      });
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
    },
    killAll: async () => {
      await Promise.all(kills.map((kill) => kill()));
    },
  };
}
