/** The worker's own folder: without it an answer that the database does not take would have no place. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from './file-store.js';
import { makeFolder } from './make-folder.js';

/** More than a full disk may have left over beside what is there already. */
const BYTES = 65_536;

/**
 * Makes the folder where it is absent, and writes for real: mode bits do not show read-only mounts and full disks. The code
 * of what the system refuses; undefined where all is well.
 */
export async function probeOwnDir(filesDir: string): Promise<string | undefined> {
  try {
    await makeFolder(filesDir);
    const folder = await mkdtemp(join(filesDir, '.probe-'));
    try {
      // A folder alone can often be made on a full disk.
      const file = await open(join(folder, 'probe'), 'wx');
      try {
        const bytes = Buffer.alloc(BYTES, 'tramita');
        // A disk with less room takes a part without an error, and refuses the rest.
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
