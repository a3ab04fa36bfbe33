/** A new or renamed file is only safe in a power cut once its folder is on the disk as well. */
import { open } from 'node:fs/promises';

export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
