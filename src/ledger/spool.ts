/**
 * The spool: answers that were paid for, on the local disk before anything else happens to them. A file is there whole or
 * not at all (temporary name, fsync, rename, fsync of the directory) and readable by this user alone. One that cannot be
 * read is set aside for a person, never deleted.
 */
import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSpoolFile, parseSpoolFile, type SettlementFacts } from './spool-file.js';
import type { Settlement } from './types.js';

export type SpoolRead =
  | { readonly kind: 'found'; readonly settlement: Settlement }
  | { readonly kind: 'missing' }
  /** The file was not whole; it was moved to `setAside`. */
  | { readonly kind: 'corrupt'; readonly setAside: string };

export interface Spool {
  /** Returns once the answer is on the disk. `bytes` null: the answer had no body. Written again, the last one counts. */
  write(intentId: string, settlement: SettlementFacts, bytes: Buffer | null): Promise<void>;
  read(intentId: string): Promise<SpoolRead>;
  /** When the file was written, epoch ms; 0 when there is none. */
  writtenAtMs(intentId: string): Promise<number>;
  /** Intent ids of all whole files, in no order. */
  list(): Promise<readonly string[]>;
  /** No error when there is none. */
  remove(intentId: string): Promise<void>;
}

const NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.spool$/;

export function createSpool(directory: string): Spool {
  const fileOf = (intentId: string): string => {
    const name = `${intentId}.spool`;
    if (!NAME.test(name)) throw new Error(`tramita: "${intentId.slice(0, 60)}" is not an intent id; expected a UUID`);
    return join(directory, name);
  };
  return {
    async write(intentId, settlement, bytes) {
      const file = fileOf(intentId);
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeDurably(file, buildSpoolFile(intentId, settlement, bytes));
      await syncDirectory(directory);
    },
    async read(intentId) {
      const file = fileOf(intentId);
      const content = await readFile(file).catch(absent);
      if (content === undefined) return { kind: 'missing' };
      const settlement = parseSpoolFile(intentId, content);
      if (settlement !== undefined) return { kind: 'found', settlement };
      const setAside = `${file}.corrupt-${Date.now()}`;
      await rename(file, setAside);
      return { kind: 'corrupt', setAside };
    },
    async writtenAtMs(intentId) {
      const found = await stat(fileOf(intentId)).catch(absent);
      return found?.mtimeMs ?? 0;
    },
    async list() {
      const names = (await readdir(directory).catch(absent)) ?? [];
      return names.flatMap((name) => NAME.exec(name)?.[1] ?? []);
    },
    async remove(intentId) {
      await rm(fileOf(intentId), { force: true });
    },
  };
}

async function writeDurably(file: string, content: Buffer): Promise<void> {
  const partial = `${file}.${process.pid}.partial`;
  const handle = await open(partial, 'w', 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, file);
}

/** Without this the name itself may be lost in a power cut. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent(error: unknown): undefined {
  if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
  throw error;
}
