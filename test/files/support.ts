/** Files for the tests of this folder. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { storeByHash, type Files } from '../../src/files/index.js';
import { temporaryFolder } from '../support/temporary-folder.js';

export const PDF = Buffer.from(`%PDF-1.7\n${'x'.repeat(40_000)}\n%%EOF\n`);

export const newDirectory = (): string => temporaryFolder('files');

export function shaOfBytes(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Lands bytes as a call or a download does. */
export function land(files: Files, bytes: Buffer): ReturnType<typeof storeByHash> {
  return storeByHash(files.landing, Readable.from([bytes]), () => undefined);
}
