/**
 * Checks the hash of a file while it is read: the stream of a truncated or damaged file ends with an error. The last chunk is
 * released only after the check, so a reader that counts bytes never gets all bytes of a wrong file.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { storeError } from './file-store.js';

export function readWhole(source: Readable, sha256: string): Readable {
  return Readable.from(verified(source, sha256), { objectMode: false });
}

async function* verified(source: AsyncIterable<Buffer>, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let lastChunk: Buffer | undefined;
  for await (const chunk of source) {
    hash.update(chunk);
    if (lastChunk !== undefined) yield lastChunk;
    lastChunk = chunk;
  }
  if (hash.digest('hex') !== sha256) throw storeError('trusted', 'the bytes are not what the name says');
  if (lastChunk !== undefined) yield lastChunk;
}
