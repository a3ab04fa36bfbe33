/** Runs commands of tramita, as a person would, beside a soak. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../src/local/index.js';

/** Path of the compiled command line. */
export const TRAMITA = join(packageRoot(), 'dist', 'src', 'cli', 'main.js');

const MOST_BYTES = 64_000_000;

/** Environment of a child process: its settings, and nothing else from this process. */
export function envOf(env: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ...env };
}

/** Runs one command to its end and returns what it printed with `--json`. */
export async function runCommand<T>(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [TRAMITA, ...args, '--json'], {
    env: envOf(env),
    maxBuffer: MOST_BYTES,
  });
  return JSON.parse(stdout) as T;
}
