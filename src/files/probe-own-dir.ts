/** The worker's own folder: without it an answer that the database does not take would have no place. */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from './file-store.js';
import { makeFolder } from './make-folder.js';

/**
 * Makes the folder where it is absent, and writes for real: mode bits tell nothing of read-only mounts and full disks. The code
 * of what the system refuses; undefined where all is well.
 */
export async function probeOwnDir(filesDir: string): Promise<string | undefined> {
  try {
    await makeFolder(filesDir);
    await rm(await mkdtemp(join(filesDir, '.probe-')), { recursive: true });
    return undefined;
  } catch (error) {
    return systemCode(error);
  }
}
