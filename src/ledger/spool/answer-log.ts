/**
 * Stores the answers of a process in append-only files, one at a time; concurrent answers share a write (docs/decisions/0072).
 * When the ledger has an answer, the next write appends a note of that. A file that is no longer written, and all of whose
 * answers the ledger has, is moved to the kept ones. Files of other processes in the same folder are read as well.
 */
import { constants } from 'node:fs';
import { appendFile, mkdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, MINUTE_MS } from '../../contract/values/index.js';
import { createAppendLog } from '../journal/append-log.js';
import { absent, writeAt } from '../journal/durable-file.js';
import { linesOf, type Place } from '../journal/sum-line.js';
import { buildAnswerFile, changeAnswerFile } from './answer-file.js';
import { buildIndex } from './answer-index.js';
import { buildAnswerLine, buildSettledLine, parseAnswerLine, type LoggedAnswer } from './answer-line.js';
import { createForeignAnswers } from './foreign-answers.js';
import { STILL_MS, beganMsOf, contentOf, createLogReader, type LogFile } from './log-reader.js';
import { createOwnAnswers } from './own-answers.js';

export interface AnswerLog {
  /** Returns once the answer is on the disk. */
  write(answer: LoggedAnswer): Promise<void>;
  /** Intent ids of answers that the ledger does not have yet. */
  open(): Promise<readonly string[]>;
  /** When an open answer was written, epoch ms; 0 if it is damaged. */
  openSinceMs(intentId: string): Promise<number | undefined>;
  /** An open answer; its raw bytes if it is damaged. */
  find(intentId: string): Promise<LoggedAnswer | Buffer | undefined>;
  /** Notes that the ledger has the answer, or that nobody needs it. False if the answer is not open here. */
  settled(intentId: string): Promise<boolean>;
  /** An answer, open or not, of a call that was opened at `openedAtMs`. */
  findKept(intentId: string, openedAtMs: number): Promise<LoggedAnswer | undefined>;
  /**
   * Applies `change` to every line. A changed answer is passed to `land` as a file, and its line is blanked. Returns how many
   * there are; without `land` it only counts.
   */
  rewrite(change: (text: Buffer) => Buffer, land?: (changed: ChangedAnswer) => Promise<void>): Promise<number>;
  /** Moves complete files to the kept ones, also those of processes that no longer run. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface ChangedAnswer {
  /** Undefined if the line is damaged. */
  readonly intentId: string | undefined;
  readonly isOpen: boolean;
  readonly content: Buffer;
}

export interface AnswerFolders {
  readonly directory: string;
  /** Where kept files go now. */
  readonly keptNow: () => string;
  /** This folder, then those of kept files, so that a file that is moved meanwhile is still found. */
  readonly folders: () => AsyncIterable<string>;
  /** The clock by which calls are opened. */
  readonly clock: () => number;
}

const NO_NEW_FILE = constants.O_WRONLY | constants.O_APPEND;
const FILE_BYTES = 4_000_000;
/** Longest time that a file is written: its name shows of which calls it may have the answers. */
const FILE_MS = 60 * MINUTE_MS;
/** Allowance for the time between a call's opening and its answer, and for clocks that differ. */
const SLACK_MS = 60 * MINUTE_MS;
/** No process writes to a file of this age. */
const ABANDONED_MS = DAY_MS;

export function createAnswerLog({ directory, keptNow, folders, clock }: AnswerFolders): AnswerLog {
  const reader = createLogReader();
  const log = createAppendLog({ directory, prefix: 'answers', bytes: FILE_BYTES, ageMs: FILE_MS, clock });
  const own = createOwnAnswers();
  const foreign = createForeignAnswers(directory, reader, own.isOwn);

  const pathOf = (name: string): string => join(directory, name);
  async function* everyFile(): AsyncGenerator<LogFile & { readonly folder: string; readonly file: string }> {
    for await (const folder of folders()) {
      for (const found of await reader.filesIn(folder)) yield { ...found, folder, file: join(folder, found.name) };
    }
  }

  const putAway = async (name: string): Promise<void> => {
    await mkdir(keptNow(), { recursive: true, mode: 0o700 });
    await rename(pathOf(name), join(keptNow(), name)).catch(absent);
  };
  const putOwnAway = async (): Promise<void> => {
    for (const name of own.files()) {
      if (own.hasOpen(name) || name === log.current()) continue;
      await putAway(name);
      own.forget(name);
    }
  };

  return {
    async write(answer) {
      const name = await log.append(buildAnswerLine(answer)).catch((error: unknown) => {
        // It may be on the disk nevertheless: from now on files are read to know which answers are open.
        own.forgetAll();
        throw error;
      });
      const isNew = own.add(name, answer);
      // The answer is on the disk. If an earlier file cannot be moved, `tidy` reports that.
      if (isNew) await putOwnAway().catch(() => undefined);
    },
    async open() {
      return [...own.ids(), ...(await foreign.ids())];
    },
    async openSinceMs(intentId) {
      return (own.find(intentId) ?? (await foreign.find(intentId)))?.atMs;
    },
    async find(intentId) {
      const mine = own.find(intentId);
      const place = mine ?? (await foreign.find(intentId));
      const found = place && (await reader.read(pathOf(place.file), intentId));
      // Its file was removed.
      if (found === undefined && mine !== undefined) own.remove(mine.file, intentId);
      return found;
    },
    async settled(intentId) {
      const mine = own.find(intentId);
      if (mine !== undefined) own.remove(mine.file, intentId);
      if (mine !== undefined && mine.file === log.current()) {
        log.later(buildSettledLine(intentId));
        return true;
      }
      const place = mine ?? (await foreign.find(intentId));
      // The first line end closes a line that may have been cut. A file that is missing was put away.
      const note = `\n${buildSettledLine(intentId)}`;
      if (place !== undefined) await appendFile(pathOf(place.file), note, { flag: NO_NEW_FILE }).catch(absent);
      await putOwnAway().catch(() => undefined);
      return place !== undefined;
    },
    async findKept(intentId, openedAtMs) {
      for await (const { file, beganMs } of everyFile()) {
        if (beganMs < openedAtMs - FILE_MS - SLACK_MS || beganMs > openedAtMs + SLACK_MS) continue;
        const found = await reader.read(file, intentId);
        if (found !== undefined && !Buffer.isBuffer(found)) return found;
      }
      return undefined;
    },
    async rewrite(change, land) {
      let count = 0;
      for await (const { folder, name, file } of everyFile()) {
        const isStill = Date.now() - ((await stat(file).catch(absent))?.mtimeMs ?? 0) > STILL_MS;
        const content = await contentOf(file);
        // Read from the file even for this process: a line may be there before its writer knows. A wrongly open one is only
        // settled again.
        const { open } = buildIndex(content);
        for (const { isEnded, ...place } of linesOf(content)) {
          const changed = isEnded || isStill ? changedLine(content, place, change) : undefined;
          if (changed === undefined) continue;
          count += 1;
          if (land === undefined) continue;
          const { intentId } = changed;
          await land({ ...changed, isOpen: folder === directory && intentId !== undefined && open.has(intentId) });
          await writeAt(file, place.at, Buffer.alloc(place.bytes, ' ')).catch(absent);
          // It has a file of its own now.
          if (intentId !== undefined) own.remove(name, intentId);
        }
      }
      return count;
    },
    async tidy() {
      const nowMs = clock();
      const current = log.current();
      if (current !== undefined && beganMsOf(current) < nowMs - FILE_MS) await log.close();
      await putOwnAway();
      for (const { name, beganMs } of await foreign.files()) {
        if (beganMs <= nowMs - ABANDONED_MS && !(await foreign.hasOpen(name))) await putAway(name);
      }
    },
    async close() {
      await log.close();
      await putOwnAway();
    },
  };
}

function changedLine(
  content: Buffer,
  { at, bytes }: Place,
  change: (text: Buffer) => Buffer,
): Omit<ChangedAnswer, 'isOpen'> | undefined {
  const line = content.subarray(at, at + bytes);
  const parsed = parseAnswerLine(line.toString());
  if (parsed?.kind === 'settled') return undefined;
  if (parsed === undefined) {
    // A damaged line is kept for a person, so its raw bytes are changed.
    const changed = change(line);
    return changed.equals(line) ? undefined : { intentId: undefined, content: changed };
  }
  const { intentId, settlement, bytes: body } = parsed.answer;
  const changed = changeAnswerFile(buildAnswerFile(intentId, settlement, body), change);
  return changed === undefined ? undefined : { intentId, content: changed };
}
