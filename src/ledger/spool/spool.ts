/**
 * The spool writes paid answers to the local disk before anything else happens to them, readable only by this user. Small ones
 * share a log (docs/decisions/0072). A large one has a file of its own, written whole or not at all (temporary name, synced
 * write, rename, fsync of the directory). A damaged one is set aside for a person, never deleted.
 */
import { randomUUID } from 'node:crypto';
import { readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { absent, namesIn, setAsideName, syncDirectory } from '../journal/durable-file.js';
import type { Settlement } from '../settlement.js';
import { buildAnswerFile, parseAnswerFile, settlementOf, type SettlementFacts } from './answer-file.js';
import type { LoggedAnswer } from './answer-line.js';
import { createAnswerLog, type ChangedAnswer } from './answer-log.js';
import { createKeptDays } from './kept-days.js';
import { isLog } from './log-reader.js';
import { dropPartials, inFolder, putWhole, rewriteWhole } from './whole-file.js';

export type SpoolRead =
  | { readonly kind: 'found'; readonly settlement: Settlement }
  | { readonly kind: 'missing' }
  /** The answer is damaged; what is left of it is in the file `setAside`. */
  | { readonly kind: 'corrupt'; readonly setAside: string };

export interface Spool {
  /** Returns once the answer is on the disk. `bytes` null: the answer had no body. Of several writes, the last one counts. */
  write(intentId: string, settlement: SettlementFacts, bytes: Buffer | null): Promise<void>;
  read(intentId: string): Promise<SpoolRead>;
  /** Reads an intact answer without changing anything; undefined if there is none. */
  peek(intentId: string): Promise<Settlement | undefined>;
  /** When the answer was written, epoch ms; 0 when there is none. */
  writtenAtMs(intentId: string): Promise<number>;
  /** Intent ids of all answers that were neither kept nor removed, unsorted. */
  list(): Promise<readonly string[]>;
  /** Drops an answer that will not be needed. No error when there is none. */
  remove(intentId: string): Promise<void>;
  /** The ledger has the answer. It is kept for as long as a backup may be restored, but no longer listed. */
  keep(intentId: string): Promise<void>;
  /** A kept answer of a call that was opened at `openedAtMs` (epoch ms); missing if there is none, or if it was too old. */
  readKept(intentId: string, openedAtMs: number): Promise<SpoolRead>;
  /**
   * Applies `change` to the facts (JSON) and the body of every answer, also of those that were kept or set aside. A changed
   * answer is written whole or not at all. Returns how many changed; with `write: false` it only counts.
   */
  rewrite(change: (text: Buffer) => Buffer, how?: { readonly write: boolean }): Promise<number>;
  /**
   * Deletes kept answers of days before `olderThanMs` and partial files from before it, then the oldest days until at most
   * `maxBytes` are left. `droppedEarly`: days that were deleted only for their size.
   */
  rotate(kept: { readonly olderThanMs: number; readonly maxBytes: number }): Promise<{ readonly droppedEarly: number }>;
  close(): Promise<void>;
}

/** A larger answer has a file of its own, so that others do not wait for it. */
const LOGGED_BYTES = 65_536;
const NAME = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.spool$/;

/** Callers during a run share the next one. It begins after all of them have called, so it covers what each did before. */
function coalesced(run: () => Promise<void>): () => Promise<void> {
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

/** `clock`: the clock by which calls are opened; kept answers are found by it. */
export function createSpool(directory: string, clock = (): number => Date.now()): Spool {
  const fileOf = (intentId: string): string => {
    const name = `${intentId}.spool`;
    if (!NAME.test(name)) throw new Error(`tramita: "${intentId.slice(0, 60)}" is not an intent id; expected a UUID`);
    return join(directory, name);
  };
  const kept = createKeptDays(directory);
  /** In the order in which answers move, so that one that is kept meanwhile is still found. */
  const folders = async function* (): AsyncGenerator<string> {
    yield directory;
    yield* await kept.folders();
  };
  const log = createAnswerLog({ directory, keptNow: kept.today, folders, clock });
  const syncFolder = coalesced(() => syncDirectory(directory));

  /** Gives a rewritten answer of the log a file of its own: it may have another length than its line. */
  const land = async ({ intentId, isOpen, content }: ChangedAnswer): Promise<void> => {
    const isWhole = intentId !== undefined;
    const file = join(isOpen || !isWhole ? directory : kept.today(), `${intentId ?? randomUUID()}.spool`);
    await putWhole(isWhole ? file : setAsideName(file), content);
    await syncDirectory(dirname(file));
  };
  return {
    async write(intentId, settlement, bytes) {
      const file = fileOf(intentId);
      if ((bytes?.length ?? 0) <= LOGGED_BYTES) {
        await log.write({ intentId, atMs: Date.now(), settlement, bytes });
        return;
      }
      await putWhole(file, buildAnswerFile(intentId, settlement, bytes));
      await syncFolder();
    },
    async read(intentId) {
      const file = fileOf(intentId);
      const setAside = setAsideName(file);
      const content = await readFile(file).catch(absent);
      if (content !== undefined) {
        const settlement = parseAnswerFile(intentId, content);
        if (settlement !== undefined) return { kind: 'found', settlement };
        await rename(file, setAside);
        return { kind: 'corrupt', setAside };
      }
      const logged = await log.find(intentId);
      if (logged === undefined) return { kind: 'missing' };
      if (!Buffer.isBuffer(logged)) return { kind: 'found', settlement: settlementOf(logged.settlement, logged.bytes) };
      await putWhole(setAside, logged);
      await log.settled(intentId);
      return { kind: 'corrupt', setAside };
    },
    async peek(intentId) {
      const content = await readFile(fileOf(intentId)).catch(absent);
      return content === undefined ? settlementIn(await log.find(intentId)) : parseAnswerFile(intentId, content);
    },
    async writtenAtMs(intentId) {
      const found = await stat(fileOf(intentId)).catch(absent);
      return found?.mtimeMs ?? (await log.openSinceMs(intentId)) ?? 0;
    },
    async list() {
      const files = (await namesIn(directory)).flatMap((name) => NAME.exec(name)?.[1] ?? []);
      return [...new Set([...files, ...(await log.open())])];
    },
    async remove(intentId) {
      await rm(fileOf(intentId), { force: true });
      await log.settled(intentId);
    },
    async keep(intentId) {
      if (await log.settled(intentId)) return;
      const day = kept.today();
      // No fsync: if a crash loses the new name, the old file is there and is settled once more.
      await inFolder(day, () => rename(fileOf(intentId), join(day, `${intentId}.spool`))).catch(absent);
    },
    async readKept(intentId, openedAtMs) {
      const logged = settlementIn(await log.findKept(intentId, openedAtMs));
      if (logged !== undefined) return { kind: 'found', settlement: logged };
      for (const folder of await kept.folders()) {
        const content = await readFile(join(folder, `${intentId}.spool`)).catch(absent);
        const settlement = content === undefined ? undefined : parseAnswerFile(intentId, content);
        if (settlement !== undefined) return { kind: 'found', settlement };
      }
      return { kind: 'missing' };
    },
    async rewrite(change, { write } = { write: true }) {
      // Files first: an answer that the log writes as a file is already changed.
      let changed = 0;
      for await (const folder of folders()) {
        const entries = (await readdir(folder, { withFileTypes: true }).catch(absent)) ?? [];
        for (const { name } of entries.filter((entry) => entry.isFile() && !isLog(entry.name))) {
          if (await rewriteWhole(join(folder, name), change, { write })) changed += 1;
        }
      }
      return changed + (await log.rewrite(change, write ? land : undefined));
    },
    async rotate({ olderThanMs, maxBytes }) {
      await log.tidy();
      await dropPartials(directory, olderThanMs);
      return { droppedEarly: await kept.drop({ olderThanMs, maxBytes }) };
    },
    close: () => log.close(),
  };
}

function settlementIn(logged: LoggedAnswer | Buffer | undefined): Settlement | undefined {
  return logged === undefined || Buffer.isBuffer(logged) ? undefined : settlementOf(logged.settlement, logged.bytes);
}
