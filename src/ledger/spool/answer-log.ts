/**
 * Answers of a process in append-only files, one at a time: those that come together share a write (docs/decisions/0072). That the
 * ledger has one is noted behind it, by the next write. A file that is not written any more, and whose answers the ledger all has,
 * goes to the kept ones. Files of other processes in the same folder are read as well.
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
import { STILL_MS, beganMsOf, contentOf, createLogReader, type LogFile } from './log-reader.js';

export interface AnswerLog {
  /** Returns once the answer is on the disk. */
  write(answer: LoggedAnswer): Promise<void>;
  /** Answers that the ledger has not got yet. */
  open(): Promise<readonly string[]>;
  /** When an open answer was written, epoch ms; 0 where it is not whole any more. */
  openSinceMs(intentId: string): Promise<number | undefined>;
  /** An open answer; as bytes where it is not whole any more. */
  find(intentId: string): Promise<LoggedAnswer | Buffer | undefined>;
  /** The ledger has the answer, or nobody needs it. False where it is not open here. */
  settled(intentId: string): Promise<boolean>;
  /** An answer, open or not, of a call that was opened at `openedAtMs`. */
  findKept(intentId: string, openedAtMs: number): Promise<LoggedAnswer | undefined>;
  /**
   * Goes through every line. One that `change` changes is given to `land`, as a file, and is blank afterwards; returns how many
   * there are. Without `land` it only looks.
   */
  rewrite(change: (text: Buffer) => Buffer, land?: (changed: ChangedAnswer) => Promise<void>): Promise<number>;
  /** Puts files away that are complete, also of processes that are gone. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export interface ChangedAnswer {
  /** Undefined where it is not whole. */
  readonly intentId: string | undefined;
  readonly isOpen: boolean;
  readonly content: Buffer;
}

export interface AnswerFolders {
  readonly directory: string;
  /** Where kept files go now. */
  readonly keptNow: () => string;
  /** This one, then those of kept files: what is put away meanwhile is found where it goes. */
  readonly folders: () => AsyncIterable<string>;
  /** The one by which calls are opened. */
  readonly clock: () => number;
}

const NO_NEW_FILE = constants.O_WRONLY | constants.O_APPEND;
const FILE_BYTES = 4_000_000;
/** No file is written longer, so its name says of which calls it has the answers. */
const FILE_MS = 60 * MINUTE_MS;
/** Between the opening of a call and its answer, and between two clocks. */
const SLACK_MS = 60 * MINUTE_MS;
/** No process writes to a file that old. */
const ABANDONED_MS = DAY_MS;

export function createAnswerLog({ directory, keptNow, folders, clock }: AnswerFolders): AnswerLog {
  const { filesIn, indexOf, read } = createLogReader();
  const log = createAppendLog({ directory, prefix: 'answers', bytes: FILE_BYTES, ageMs: FILE_MS, clock });
  /** Open answers of this process, with the time of their writing, by file. */
  const own = new Map<string, Map<string, number>>();
  /** Open answers of others, by the file in which they were seen last. */
  const openIn = new Map<string, string>();

  const pathOf = (name: string): string => join(directory, name);
  const ownFileOf = (intentId: string): string | undefined => {
    for (const [name, answers] of own) if (answers.has(intentId)) return name;
    return undefined;
  };

  const foreignFiles = async (): Promise<readonly LogFile[]> =>
    (await filesIn(directory)).filter(({ name }) => !own.has(name));
  const foreignFileOf = async (intentId: string): Promise<string | undefined> => {
    const names = (await foreignFiles()).map(({ name }) => name);
    const seenIn = openIn.get(intentId);
    // Where there are more files than indexes, a search through all would read them all.
    for (const name of seenIn === undefined ? names : [seenIn, ...names]) {
      if ((await indexOf(pathOf(name))).open.has(intentId)) return name;
    }
    return undefined;
  };

  async function* everyFile(): AsyncGenerator<LogFile & { readonly folder: string; readonly file: string }> {
    for await (const folder of folders()) {
      for (const found of await filesIn(folder)) yield { ...found, folder, file: join(folder, found.name) };
    }
  }

  const putAway = async (name: string): Promise<void> => {
    await mkdir(keptNow(), { recursive: true, mode: 0o700 });
    await rename(pathOf(name), join(keptNow(), name)).catch(absent);
  };
  const putOwnAway = async (): Promise<void> => {
    for (const [name, answers] of [...own]) {
      if (answers.size > 0 || name === log.current()) continue;
      await putAway(name);
      own.delete(name);
    }
  };

  return {
    async write(answer) {
      const name = await log.append(buildAnswerLine(answer)).catch((error: unknown) => {
        // It may have reached the disk all the same: from now on all files are read to know what is open.
        own.clear();
        throw error;
      });
      const isNew = !own.has(name);
      own.set(name, (own.get(name) ?? new Map<string, number>()).set(answer.intentId, answer.atMs));
      // The answer is on the disk, whatever becomes of an earlier file: `tidy` reports that.
      if (isNew) await putOwnAway().catch(() => undefined);
    },
    async open() {
      const ids = [...own.values()].flatMap((answers) => [...answers.keys()]);
      openIn.clear();
      for (const { name } of await foreignFiles()) {
        for (const intentId of (await indexOf(pathOf(name))).open.keys()) {
          ids.push(intentId);
          openIn.set(intentId, name);
        }
      }
      return ids;
    },
    async openSinceMs(intentId) {
      const mine = ownFileOf(intentId);
      if (mine !== undefined) return own.get(mine)?.get(intentId);
      const name = await foreignFileOf(intentId);
      return name === undefined ? undefined : (await indexOf(pathOf(name))).open.get(intentId);
    },
    async find(intentId) {
      const mine = ownFileOf(intentId);
      const name = mine ?? (await foreignFileOf(intentId));
      const found = name === undefined ? undefined : await read(pathOf(name), intentId);
      // Its file was taken away.
      if (found === undefined && mine !== undefined) own.get(mine)?.delete(intentId);
      return found;
    },
    async settled(intentId) {
      const mine = ownFileOf(intentId);
      if (mine !== undefined) own.get(mine)?.delete(intentId);
      if (mine !== undefined && mine === log.current()) {
        log.later(buildSettledLine(intentId));
        return true;
      }
      const name = mine ?? (await foreignFileOf(intentId));
      // The file may end with a line that was cut. One that is not there any more was put away.
      const note = `\n${buildSettledLine(intentId)}`;
      if (name !== undefined) await appendFile(pathOf(name), note, { flag: NO_NEW_FILE }).catch(absent);
      await putOwnAway().catch(() => undefined);
      return name !== undefined;
    },
    async findKept(intentId, openedAtMs) {
      for await (const { file, beganMs } of everyFile()) {
        if (beganMs < openedAtMs - FILE_MS - SLACK_MS || beganMs > openedAtMs + SLACK_MS) continue;
        const found = await read(file, intentId);
        if (found !== undefined && !Buffer.isBuffer(found)) return found;
      }
      return undefined;
    },
    async rewrite(change, land) {
      let count = 0;
      for await (const { folder, name, file } of everyFile()) {
        const isStill = Date.now() - ((await stat(file).catch(absent))?.mtimeMs ?? 0) > STILL_MS;
        const content = await contentOf(file);
        // Of this process too: a line may be there before its writer knows. One more that is open is settled once more.
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
          if (intentId !== undefined) own.get(name)?.delete(intentId);
        }
      }
      return count;
    },
    async tidy() {
      const nowMs = clock();
      const current = log.current();
      if (current !== undefined && beganMsOf(current) < nowMs - FILE_MS) await log.close();
      await putOwnAway();
      for (const { name, beganMs } of await foreignFiles()) {
        if (beganMs > nowMs - ABANDONED_MS || (await indexOf(pathOf(name))).open.size > 0) continue;
        await putAway(name);
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
    // Kept for a person, without the words that are to go.
    const changed = change(line);
    return changed.equals(line) ? undefined : { intentId: undefined, content: changed };
  }
  const { intentId, settlement, bytes: body } = parsed.answer;
  const changed = changeAnswerFile(buildAnswerFile(intentId, settlement, body), change);
  return changed === undefined ? undefined : { intentId, content: changed };
}
