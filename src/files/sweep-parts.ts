/** Files that a killed process left half written beside the store: they can never be finished, so they are removed. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns how many were removed. A part that is still written to is younger than any `olderThanMs` worth giving. */
export async function sweepParts(directory: string, olderThanMs: number): Promise<number> {
  const root = join(directory, 'sha256');
  const names = await readdir(root).catch(() => []);
  let removed = 0;
  for (const name of names.filter((entry) => entry.startsWith('.part-'))) {
    const path = join(root, name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined || Date.now() - found.mtimeMs < olderThanMs) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}
