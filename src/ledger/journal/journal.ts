/**
 * The journal of a worker: a line for every charged call, on the disk before its socket opens. With the answers in the spool it
 * is the witness of what the ledger may lose. Append-only files, one at a time per process; concurrent calls share a write. Files
 * of other processes in the same folder are read as well. Readable only by this user: keys of lines may name a person.
 */
import { readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { createAppendLog } from './append-log.js';
import { absent, bytesOf, namesIn, writeAt } from './durable-file.js';
import { buildLine, parseLine, type JournalEntry } from './journal-entry.js';
import { openState, writeState, type JournalState } from './journal-state.js';
import { changeLine, linesOf, type Place } from './sum-line.js';

export interface Journal {
  /** Host and folder, for people. */
  readonly label: string;
  /** Returns once the line is on the disk. */
  append(entry: JournalEntry): Promise<void>;
  /** Every whole line of the folder, oldest file first; the same call may come more than once. */
  entries(): AsyncIterable<JournalEntry>;
  find(intentId: string): Promise<JournalEntry | undefined>;
  /** Total size of all files of the folder. */
  bytes(): Promise<number>;
  /** A state that is missing or damaged begins again; a damaged one is set aside for a person. */
  state(): Promise<JournalState>;
  remember(state: JournalState): Promise<void>;
  /** Deletes files last written before `olderThanMs` (epoch ms) whose calls are all final, as `isOver` says. Returns how many. */
  rotate(olderThanMs: number, isOver: (intentIds: readonly string[]) => Promise<boolean>): Promise<number>;
  /**
   * Overwrites in place each line for which `change` returns another text of the same length in bytes, in files of other
   * processes too. Returns how many; with `write: false` it only counts.
   */
  rewrite(change: (json: string) => string, how?: { readonly write: boolean }): Promise<number>;
  close(): Promise<void>;
}

/** A new file is begun after this many bytes: small enough that old ones can go, large enough that they stay few. */
const FILE_BYTES = 8_000_000;
const NAME = /^sends-\d{13}-[0-9a-f-]{36}\.jsonl$/;

/** `onDamage`: called with the file to which a damaged state was set aside. */
export function createJournal(directory: string, onDamage: (setAside: string) => void = () => undefined): Journal {
  const log = createAppendLog({ directory, prefix: 'sends', bytes: FILE_BYTES });
  return {
    label: `${hostname()}:${directory}`,
    append: async (entry) => {
      await log.append(buildLine(entry));
    },
    entries: () => entriesIn(directory),
    find: async (intentId) => {
      for await (const entry of entriesIn(directory)) if (entry.intentId === intentId) return entry;
      return undefined;
    },
    bytes: async () => {
      const sizes = await Promise.all((await filesIn(directory)).map(bytesOf));
      return sizes.reduce((sum, size) => sum + size, 0);
    },
    state: () => openState(directory, onDamage),
    remember: async (state) => {
      await writeState(directory, state, 'next');
    },
    rotate: async (olderThanMs, isOver) => {
      let deleted = 0;
      for (const file of await filesIn(directory)) {
        const changed = await stat(file).catch(absent);
        if (basename(file) === log.current() || changed === undefined || changed.mtimeMs > olderThanMs) continue;
        const ids: string[] = [];
        for await (const { intentId } of entriesOf(file)) ids.push(intentId);
        if (!(await isOver(ids))) continue;
        await rm(file, { force: true });
        deleted += 1;
      }
      return deleted;
    },
    rewrite: async (change, { write } = { write: true }) => {
      let changed = 0;
      for (const file of await filesIn(directory)) {
        for await (const { line, at, bytes } of linesIn(file)) {
          const next = changeLine(line, change);
          if (next === line) continue;
          changed += 1;
          // A byte that is no UTF-8 was read as a character of several bytes.
          if (write) await writeAt(file, at, Buffer.from(next).subarray(0, bytes)).catch(absent);
        }
      }
      return changed;
    },
    close: () => log.close(),
  };
}

/** Oldest first. */
async function filesIn(directory: string): Promise<readonly string[]> {
  const names = (await namesIn(directory)).filter((name) => NAME.test(name)).sort();
  return names.map((name) => join(directory, name));
}

async function* entriesIn(directory: string): AsyncGenerator<JournalEntry> {
  for (const file of await filesIn(directory)) yield* entriesOf(file);
}

async function* entriesOf(file: string): AsyncGenerator<JournalEntry> {
  for await (const { line } of linesIn(file)) {
    const entry = parseLine(line);
    if (entry !== undefined) yield entry;
  }
}

async function* linesIn(file: string): AsyncGenerator<{ readonly line: string } & Place> {
  const content = await readFile(file).catch(absent);
  if (content === undefined) return;
  for (const { at, bytes } of linesOf(content)) yield { line: content.toString('utf8', at, at + bytes), at, bytes };
}
