/** Whether two paths are the same directory. Tried out with a file, because paths and inodes do not show every link and mount. */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from './file-store.js';

/** Rejects if it cannot tell now. If the process dies here, `sweepParts` removes the test file. */
export async function isSamePlace(own: string, other: string): Promise<boolean> {
  const name = join('sha256', `.part-${randomBytes(12).toString('hex')}`);
  await mkdir(join(own, 'sha256'), { recursive: true, mode: 0o700 });
  await writeFile(join(own, name), '', { mode: 0o600 });
  try {
    return await stat(join(other, name)).then(
      () => true,
      (error: unknown) => {
        if (systemCode(error) === 'ENOENT') return false;
        throw error;
      },
    );
  } finally {
    await rm(join(own, name), { force: true });
  }
}
