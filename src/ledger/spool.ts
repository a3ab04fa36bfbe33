/**
 * The spool: answers that were paid for, on the local disk before anything else happens to them. A file is there whole or
 * not at all (temporary name, synced write, rename, fsync of the directory) and readable by this user alone. One that cannot be
 * read is set aside for a person, never deleted.
 */
import { mkdir, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { absent, syncDirectory, writeWhole } from './journal/durable-file.js';
import { buildSpoolFile, changeSpoolFile, parseSpoolFile, type SettlementFacts } from './spool-file.js';
import type { Settlement } from './settlement.js';

export type SpoolRead =
  | { readonly kind: 'found'; readonly settlement: Settlement }
  | { readonly kind: 'missing' }
  /** The file was not whole; it was moved to `setAside`. */
  | { readonly kind: 'corrupt'; readonly setAside: string };

export interface Spool {
  /** Returns once the answer is on the disk. `bytes` null: the answer had no body. Written again, the last one counts. */
  write(intentId: string, settlement: SettlementFacts, bytes: Buffer | null): Promise<void>;
  read(intentId: string): Promise<SpoolRead>;
  /** A look at a whole file that changes nothing; undefined where there is none. */
  peek(intentId: string): Promise<Settlement | undefined>;
  /** When the file was written, epoch ms; 0 when there is none. */
  writtenAtMs(intentId: string): Promise<number>;
  /** Intent ids of all whole files, in no order. */
  list(): Promise<readonly string[]>;
  /** Drops an answer that will not be needed. No error when there is none. */
  remove(intentId: string): Promise<void>;
  /** The ledger has the answer: it is kept for as long as a backup may be restored, out of the janitor's sight. */
  keep(intentId: string): Promise<void>;
  /** An answer that was kept; missing where there is none, or where it was too old. */
  readKept(intentId: string): Promise<SpoolRead>;
  /**
   * Goes through every file, kept ones and such as were set aside too. What `change` gives back in place of the facts (JSON) or
   * the body is written, whole or not at all; returns how many files were. Without `write` it only looks.
   */
  rewrite(change: (text: Buffer) => Buffer, how?: { readonly write: boolean }): Promise<number>;
  /** Drops kept answers of days before `olderThanMs` and what was left half written before it, then the oldest days until at most `maxBytes` are left. */
  rotate(kept: { readonly olderThanMs: number; readonly maxBytes: number }): Promise<{ readonly droppedEarly: number }>;
}

/** A file that is being written, or that a killed worker has left. */
const PARTIAL = '.partial';
/** Answers that the ledger has, a folder for each day. */
const KEPT = 'settled';
const NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.spool$/;

/** Makes the folder where it is missing: almost always it is there. */
async function inFolder(folder: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    absent(error);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await write();
  }
}

/**
 * Who asks while one runs, shares the next one with all who ask until then: it begins after all of them have done what it is to
 * cover.
 */
function shared(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running.then(() => {
      next = undefined;
      const now = run();
      running = now.catch(() => undefined);
      return now;
    });
    return next;
  };
}

export function createSpool(directory: string): Spool {
  const fileOf = (intentId: string): string => {
    const name = `${intentId}.spool`;
    if (!NAME.test(name)) throw new Error(`tramita: "${intentId.slice(0, 60)}" is not an intent id; expected a UUID`);
    return join(directory, name);
  };
  const syncFolder = shared(() => syncDirectory(directory));
  return {
    async write(intentId, settlement, bytes) {
      const file = fileOf(intentId);
      const partial = `${file}.${process.pid}${PARTIAL}`;
      const content = buildSpoolFile(intentId, settlement, bytes);
      await inFolder(directory, () => writeWhole(partial, content, () => rename(partial, file)));
      await syncFolder();
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
    async peek(intentId) {
      const content = await readFile(fileOf(intentId)).catch(absent);
      return content === undefined ? undefined : parseSpoolFile(intentId, content);
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
    async keep(intentId) {
      const day = join(directory, KEPT, new Date().toISOString().slice(0, 10));
      // Without an fsync: where the new name is lost, the old one is there, and is settled once more.
      await inFolder(day, () => rename(fileOf(intentId), join(day, `${intentId}.spool`))).catch(absent);
    },
    async readKept(intentId) {
      for (const day of await keptDays()) {
        const content = await readFile(join(directory, KEPT, day, `${intentId}.spool`)).catch(absent);
        const settlement = content === undefined ? undefined : parseSpoolFile(intentId, content);
        if (settlement !== undefined) return { kind: 'found', settlement };
      }
      return { kind: 'missing' };
    },
    async rewrite(change, { write } = { write: true }) {
      let changed = 0;
      const folders = [directory, ...(await keptDays()).map((day) => join(directory, KEPT, day))];
      for (const folder of folders) {
        const names = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
        for (const { name } of names.filter((entry) => entry.isFile())) {
          const content = await readFile(join(folder, name)).catch(absent);
          const rewritten = content === undefined ? undefined : changeSpoolFile(content, change);
          if (rewritten === undefined) continue;
          changed += 1;
          if (!write) continue;
          const file = join(folder, name);
          const partial = `${file}.${process.pid}${PARTIAL}`;
          await writeWhole(partial, rewritten, async () => {
            // Settled meanwhile: the ledger has it, and the next look finds it where it is kept.
            if ((await stat(file).catch(absent)) === undefined) await rm(partial, { force: true });
            else await rename(partial, file);
          });
        }
      }
      return changed;
    },
    async rotate({ olderThanMs, maxBytes }) {
      for (const name of (await readdir(directory).catch(absent)) ?? []) {
        if (!name.endsWith(PARTIAL)) continue;
        const left = await stat(join(directory, name)).catch(absent);
        if (left !== undefined && left.mtimeMs < olderThanMs) await rm(join(directory, name), { force: true });
      }
      const firstKept = new Date(olderThanMs).toISOString().slice(0, 10);
      let bytes = 0;
      let droppedEarly = 0;
      for (const day of await keptDays()) {
        const folder = join(directory, KEPT, day);
        bytes += day < firstKept ? 0 : await bytesIn(folder);
        if (day >= firstKept && bytes <= maxBytes) continue;
        if (day >= firstKept) droppedEarly += 1;
        await rm(folder, { recursive: true, force: true });
      }
      return { droppedEarly };
    },
  };

  /** Newest first. */
  async function keptDays(): Promise<readonly string[]> {
    return ((await readdir(join(directory, KEPT)).catch(absent)) ?? []).sort().reverse();
  }
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of (await readdir(folder).catch(absent)) ?? []) {
    bytes += (await stat(join(folder, name)).catch(absent))?.size ?? 0;
  }
  return bytes;
}
