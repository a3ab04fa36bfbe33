/** Files for the tests of this folder. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { storeByHash, type Files } from '../../src/files/index.js';

export const PDF = Buffer.from(`%PDF-1.7\n${'x'.repeat(40_000)}\n%%EOF\n`);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function newDirectory(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-files-'));
  folders.push(folder);
  return folder;
}

export function shaOfBytes(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Lands bytes as a call or a download does. */
export function land(files: Files, bytes: Buffer): ReturnType<typeof storeByHash> {
  return storeByHash(files.landing, Readable.from([bytes]), () => undefined);
}
