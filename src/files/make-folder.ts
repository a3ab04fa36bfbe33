/** Creates a folder with its parents, accessible to its user only. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCode } from './file-store.js';

/**
 * Like `mkdir` with `recursive`, but it always ends. If a parent exists and refuses new folders with ENOENT (as `/proc` does),
 * Node tries that parent and this folder alternately forever.
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
    const stats = await stat(folder).catch(() => undefined);
    if (stats?.isDirectory() !== true) throw error;
  };
}
