/** Removes partial files that a killed process left behind: nobody can finish them. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns how many were removed. Choose `olderThanMs` longer than a running download can pause. */
export async function sweepParts(directory: string, olderThanMs: number): Promise<number> {
  const root = join(directory, 'sha256');
  const names = await readdir(root).catch(() => []);
  let removed = 0;
  for (const name of names.filter((entry) => entry.startsWith('.part-'))) {
    const path = join(root, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined || Date.now() - stats.mtimeMs < olderThanMs) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}
