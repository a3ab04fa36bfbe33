/** The worker's own folder: without it an answer that the database does not take would have no place. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../config/index.js';

/**
 * Writes for real: mode bits tell nothing of read-only mounts and full disks.
 * @throws `tramita: …` that names the variable and the folder.
 */
export async function checkFilesDir(filesDir: string): Promise<void> {
  try {
    await mkdir(filesDir, { recursive: true });
    await rm(await mkdtemp(join(filesDir, '.start-')), { recursive: true });
  } catch (error) {
    throw new Error(
      `tramita: TRAMITA_FILES_DIR: ${filesDir} cannot be written (${errorCode(error)}); name a folder of this worker`,
      { cause: error },
    );
  }
}
