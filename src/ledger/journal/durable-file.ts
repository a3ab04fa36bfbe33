/** Files that are still there after a power cut. */
import { open } from 'node:fs/promises';

/** A new or renamed file is only safe once its folder is on the disk as well. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** For `catch`: undefined where the file or folder is not there. */
export function absent(error: unknown): undefined {
  if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
  throw error;
}
