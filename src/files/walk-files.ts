/** The hashes of all files in a directory store, in no particular order. */
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isHash } from './address.js';
import { systemCode } from './file-store.js';

export async function* walkFiles(directory: string): AsyncGenerator<string> {
  const root = join(directory, 'sha256');
  for await (const first of namesIn(root)) {
    for await (const second of namesIn(join(root, first))) {
      for await (const name of namesIn(join(root, first, second))) if (isHash(name)) yield name;
    }
  }
}

/** Yields nothing for a path that is not a folder or no longer exists. */
async function* namesIn(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return undefined;
    throw error;
  });
  if (entries === undefined) return;
  for await (const { name } of entries) yield name;
}
