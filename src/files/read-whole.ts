/**
 * A stream that ends with an error where its bytes are not those that its name says: a cut or damaged file is no file. The last
 * piece is given out only when all are proven, so a reader that counts bytes never has them all of a wrong file.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { storeError } from './file-store.js';

export function readWhole(source: Readable, sha256: string): Readable {
  return Readable.from(proven(source, sha256), { objectMode: false });
}

async function* proven(source: AsyncIterable<Buffer>, sha256: string): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  for await (const chunk of source) {
    hash.update(chunk);
    if (held !== undefined) yield held;
    held = chunk;
  }
  if (hash.digest('hex') !== sha256) throw storeError('trusted', 'the bytes are not what the name says');
  if (held !== undefined) yield held;
}
