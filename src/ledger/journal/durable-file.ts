/** Files that are still there after a power cut. */
import { closeSync, fsync, open, writeFile } from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const [openFile, writeTo, sync] = [promisify(open), promisify(writeFile), promisify(fsync)];

/**
 * A file that is there whole or not at all: on the disk under the name `partial`, readable by this user alone, then put in its
 * place by `land`. Nothing stays of one that fails: on a full disk it would be in the way of the next. Its name is safe after
 * {@link syncDirectory}.
 */
export async function writeWhole(
  partial: string,
  content: Buffer | string,
  land: () => Promise<unknown>,
): Promise<void> {
  try {
    await opened(partial, 'w', (descriptor) => writeTo(descriptor, content, { flush: true }));
    await land();
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** A new or renamed file is only safe once its folder is on the disk as well. */
export function syncDirectory(directory: string): Promise<void> {
  return opened(directory, 'r', sync);
}

/** Nothing is left to be written when it is closed, so closing does not block; each hop to another thread costs more. */
async function opened(path: string, flags: string, use: (descriptor: number) => Promise<void>): Promise<void> {
  const descriptor = await openFile(path, flags, 0o600);
  try {
    await use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** For `catch`: undefined where the file or folder is not there. */
export function absent(error: unknown): undefined {
  if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
  throw error;
}
