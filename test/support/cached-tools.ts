/** Tools for tests, each made once, in the cache under the home directory. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../src/local/temporal/temporal-cache.js';

export type CachedTools = { readonly folder: string } | { readonly problem: string };

/**
 * The folder of these tools in the version that the file `pins` names. `make` fills an empty folder and returns the problem, if
 * any. When two processes make it at the same time both succeed, and the folder of the slower one is removed.
 */
export function cachedTools(name: string, pins: string, make: (folder: string) => string | undefined): CachedTools {
  const version = createHash('sha256').update(readFileSync(pins)).digest('hex').slice(0, 12);
  const cache = cacheFolder(process.env);
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return { folder };
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, `${name}-making-`));
  try {
    const problem = make(making);
    if (problem !== undefined) return { problem };
    if (!existsSync(folder)) renameSync(making, folder);
    return { folder };
  } catch {
    return existsSync(folder) ? { folder } : { problem: `${name} could not be put into the cache` };
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
