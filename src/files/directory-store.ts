/** A file store in a directory: the worker's own, or a shared mount, whose path may differ between machines. */
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathOf } from './address.js';
import { storeError, systemCode, type FileStore } from './file-store.js';
import { storeByHash } from './store-by-hash.js';

/** A missing directory is an error and is never created, because it may be a missing mount. */
export function createDirectoryStore(directory: string): FileStore {
  const placeOf = (sha256: string): string => join(directory, pathOf(sha256));

  /** Undefined if the file does not exist but the directory does. */
  const unlessAbsent = async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw storeError('read', systemCode(error));
    }
    await needDirectory('read');
    return undefined;
  };

  const needDirectory = async (verb: string): Promise<void> => {
    const stats = await stat(directory).catch((error: unknown) => {
      throw storeError(verb, systemCode(error));
    });
    if (!stats.isDirectory()) throw storeError(verb, 'ENOTDIR');
  };

  return {
    nameOf: pathOf,
    async put({ sha256, bytes, path }) {
      await needDirectory('written');
      try {
        await storeByHash({ directory }, createReadStream(path), (edges, seen) =>
          seen === sha256 && edges.bytes === bytes ? undefined : 'the file on disk is not what its name says',
        );
      } catch (error) {
        throw storeError('written', systemCode(error));
      }
    },
    sizeOf: (sha256) => unlessAbsent(async () => (await stat(placeOf(sha256))).size),
    open: (sha256) =>
      unlessAbsent(async () => {
        const file = await open(placeOf(sha256), 'r');
        return file.createReadStream();
      }),
    async remove(sha256) {
      await rm(placeOf(sha256), { force: true }).catch((error: unknown) => {
        throw storeError('written', systemCode(error));
      });
    },
  };
}
