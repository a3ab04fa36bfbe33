/** Checks the worker's own folder, which keeps paid answers that the database cannot take. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from './file-store.js';
import { makeFolder } from './make-folder.js';

/** More than the rest that a full disk may still have. */
const BYTES = 65_536;

/**
 * Creates the folder if it is absent and writes a real file, because mode bits show neither a read-only mount nor a full disk.
 * Returns the code of the system's error; undefined if all is well.
 */
export async function probeOwnDir(filesDir: string): Promise<string | undefined> {
  try {
    await makeFolder(filesDir);
    const folder = await mkdtemp(join(filesDir, '.probe-'));
    try {
      // A folder alone can often be created on a full disk.
      const file = await open(join(folder, 'probe'), 'wx');
      try {
        const bytes = Buffer.alloc(BYTES, 'tramita');
        // A disk with less room writes a part without an error and refuses only the rest.
        for (let at = 0; at < BYTES; at += (await file.write(bytes, at)).bytesWritten);
        await file.sync();
      } finally {
        await file.close();
      }
    } finally {
      await rm(folder, { recursive: true });
    }
    return undefined;
  } catch (error) {
    return systemCode(error);
  }
}
