/** Starts a compiled program with `--json` and waits until it says that it is ready. Throws its log when it ends before. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { packageRoot } from '../../src/local/index.js';
import { until } from '../support/until.js';

interface Started {
  readonly log: () => string;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
  /** SIGKILL, where it still runs. */
  kill(): void;
}

const READY_WITHIN_MS = 90_000;

export async function startCommand(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Started> {
  const { PATH = '', HOME = '' } = process.env;
  const main = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}:\n${err}`);
      return out.includes('"ready": true');
    },
    { withinMs: READY_WITHIN_MS, what: `${args.join(' ')} to be ready` },
  ).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    log: () => err,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
