/** Python environments of tests, each made once, in the cache under the home directory. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** `problem`: why there is none, such as no Python or no package registry. */
export type PythonEnvironment = { readonly python: string } | { readonly problem: string };

/** `requirements` is a file of pinned packages. Two that make it at once both succeed: the slower one's is thrown away. */
export function pythonEnvironment(name: string, requirements: string): PythonEnvironment {
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const cache = cacheFolder();
  const folder = join(cache, `${name}-${wanted}`);
  const python = join(folder, 'bin', 'python');
  if (existsSync(python)) return { python };
  const making = mkdtempSync(join(cache, `${name}-making-`));
  try {
    const steps: readonly (readonly [string, readonly string[], string])[] = [
      ['python3', ['-m', 'venv', making], 'there is no python3 with venv'],
      [
        join(making, 'bin', 'python'),
        ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements],
        `${name} could not be installed with pip`,
      ],
    ];
    for (const [command, args, problem] of steps) {
      if (spawnSync(command, args, { stdio: 'ignore', timeout: 300_000 }).status !== 0) return { problem };
    }
    if (!existsSync(python)) renameSync(making, folder);
    return { python };
  } catch {
    return existsSync(python) ? { python } : { problem: `the environment of ${name} could not be put into the cache` };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** Where tests keep what takes long to make. */
export function cacheFolder(): string {
  const named = process.env['XDG_CACHE_HOME'] ?? '';
  const cache = join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'tramita');
  mkdirSync(cache, { recursive: true });
  return cache;
}
