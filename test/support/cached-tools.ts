/** Tools of tests, each made once, in the cache under the home directory. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../src/local/temporal/temporal-cache.js';

export type CachedTools = { readonly folder: string } | { readonly problem: string };

/**
 * The folder of these tools in the version that `pins` (a file) names. `make` fills an empty folder and says what is wrong. Two
 * that make it at once both succeed: the slower one's is thrown away.
 */
export function cachedTools(name: string, pins: string, make: (folder: string) => string | undefined): CachedTools {
  const wanted = createHash('sha256').update(readFileSync(pins)).digest('hex').slice(0, 12);
  const cache = cacheFolder(process.env);
  const folder = join(cache, `${name}-${wanted}`);
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
