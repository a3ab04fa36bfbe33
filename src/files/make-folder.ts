/** A folder with its parents, for its user only. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from './file-store.js';

/**
 * What `mkdir` with `recursive` does, and it ends: where a parent is there and takes no folders, which the system says as
 * ENOENT (`/proc`), Node makes that parent and this folder in turns for good.
 */
export async function makeFolder(folder: string): Promise<void> {
  const make = (): Promise<void> => mkdir(folder, { mode: 0o700 }).catch(unlessFolder(folder));
  try {
    await make();
  } catch (error) {
    const parent = dirname(folder);
    if (systemCode(error) !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await make();
  }
}

function unlessFolder(folder: string): (error: unknown) => Promise<void> {
  return async (error) => {
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory() !== true) throw error;
  };
}
