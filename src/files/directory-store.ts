/** A directory as file store: the worker's own, or one that several machines have mounted, each wherever it likes. */
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathOf } from './address.js';
import { storeError, systemCode, type FileStore } from './file-store.js';
import { storeByHash } from './store-by-hash.js';

/** A directory that is not there is an error and is not made: it may be a mount that is missing. */
export function createDirectoryStore(directory: string): FileStore {
  const placeOf = (sha256: string): string => join(directory, pathOf(sha256));

  /** Undefined where `look` finds no file although the directory is there. */
  const unlessAbsent = async <T>(what: string, look: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await look();
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw storeError(what, systemCode(error));
    }
    await needDirectory(what);
    return undefined;
  };

  const needDirectory = async (what: string): Promise<void> => {
    const found = await stat(directory).catch((error: unknown) => {
      throw storeError(what, systemCode(error));
    });
    if (!found.isDirectory()) throw storeError(what, 'ENOTDIR');
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
    sizeOf: (sha256) => unlessAbsent('read', async () => (await stat(placeOf(sha256))).size),
    open: (sha256) =>
      unlessAbsent('read', async () => {
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
