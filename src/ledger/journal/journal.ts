/**
 * The journal of a worker: a line for every charged call, on the disk before its socket opens. With the answers in the spool it
 * is the witness of what the ledger may lose. Append-only files, one at a time per process; concurrent calls share a write. Files
 * of other processes in the same folder are read as well. Readable only by this user: keys of lines may name a person.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOfError } from '../../contract/values/index.js';
import { createAppendLog } from './append-log.js';
import { absent, bytesOf, namesIn, setAsideName, syncDirectory, writeAt, writeWhole } from './durable-file.js';
import { buildLine, parseLine, type JournalEntry } from './journal-entry.js';
import { changeLine, linesOf, type Place } from './sum-line.js';

/** What a journal remembers of the database between two runs of its process. */
export interface JournalState {
  readonly journalId: string;
  /** Life of the database in which this journal was heard last. */
  readonly epoch: string | null;
  /** Other journals of the installation, by id, with their labels. */
  readonly peers: Readonly<Record<string, string>>;
}

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
const STATE = 'state.json';

/** `onDamage`: called with the file to which a damaged state was set aside. */
export function createJournal(directory: string, onDamage: (setAside: string) => void = () => undefined): Journal {
  const log = createAppendLog({ directory, prefix: 'sends', bytes: FILE_BYTES });
  const names = async (): Promise<readonly string[]> => {
    return (await namesIn(directory)).filter((name) => NAME.test(name)).sort();
  };
  const linesIn = async function* (name: string): AsyncGenerator<{ readonly line: string } & Place> {
    const content = await readFile(join(directory, name)).catch(absent);
    if (content === undefined) return;
    for (const { at, bytes } of linesOf(content)) yield { line: content.toString('utf8', at, at + bytes), at, bytes };
  };
  const entriesOf = async function* (name: string): AsyncGenerator<JournalEntry> {
    for await (const { line } of linesIn(name)) {
      const entry = parseLine(line);
      if (entry !== undefined) yield entry;
    }
  };
  const entries = async function* (): AsyncGenerator<JournalEntry> {
    for (const name of await names()) yield* entriesOf(name);
  };

  return {
    label: `${hostname()}:${directory}`,
    append: async (entry) => {
      await log.append(buildLine(entry));
    },
    entries,
    find: async (intentId) => {
      for await (const entry of entries()) if (entry.intentId === intentId) return entry;
      return undefined;
    },
    bytes: async () => {
      const sizes = (await names()).map((name) => bytesOf(join(directory, name)));
      return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    },
    state: async () => {
      const file = join(directory, STATE);
      const text = await readFile(file, 'utf8').catch(absent);
      const known = text === undefined ? undefined : readState(text);
      if (known !== undefined) return known;
      if (text !== undefined) {
        const setAside = setAsideName(file);
        await rename(file, setAside).catch(absent);
        onDamage(setAside);
      }
      // Lines may be lost with the state, so the journal gets another id: until somebody decides, a hold waits for the old one.
      const fresh: JournalState = { journalId: randomUUID(), epoch: null, peers: {} };
      return writeState(directory, fresh, 'first');
    },
    remember: async (state) => {
      await writeState(directory, state, 'next');
    },
    rotate: async (olderThanMs, isOver) => {
      let deleted = 0;
      for (const name of await names()) {
        const file = join(directory, name);
        const changed = await stat(file).catch(absent);
        if (name === log.current() || changed === undefined || changed.mtimeMs > olderThanMs) continue;
        const ids: string[] = [];
        for await (const { intentId } of entriesOf(name)) ids.push(intentId);
        if (!(await isOver(ids))) continue;
        await rm(file, { force: true });
        deleted += 1;
      }
      return deleted;
    },
    rewrite: async (change, { write } = { write: true }) => {
      let changed = 0;
      for (const name of await names()) {
        for await (const { line, at, bytes } of linesIn(name)) {
          const next = changeLine(line, change);
          if (next === line) continue;
          changed += 1;
          // A byte that is no UTF-8 was read as a character of several bytes.
          if (write) await writeAt(join(directory, name), at, Buffer.from(next).subarray(0, bytes)).catch(absent);
        }
      }
      return changed;
    },
    close: () => log.close(),
  };
}

/** Undefined for a text that is no state: a copy of the folder may have been cut. */
function readState(text: string): JournalState | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { journalId, epoch, peers } = (read ?? {}) as Readonly<Record<string, unknown>>;
  const isState =
    typeof journalId === 'string' && (epoch === null || typeof epoch === 'string') && typeof peers === 'object';
  return isState && peers !== null ? (read as JournalState) : undefined;
}

/**
 * Writes the state whole or not at all. Of two processes that begin at once in one folder, both take what the first has written.
 */
async function writeState(directory: string, state: JournalState, as: 'first' | 'next'): Promise<JournalState> {
  const file = join(directory, STATE);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const partial = `${file}.${randomUUID()}.partial`;
  await writeWhole(partial, `${JSON.stringify(state)}\n`, async () => {
    if (as === 'next') return rename(partial, file);
    await link(partial, file).catch(ignoreExisting);
    await rm(partial, { force: true });
  });
  await syncDirectory(directory);
  return JSON.parse(await readFile(file, 'utf8')) as JournalState;
}

function ignoreExisting(error: unknown): void {
  if (codeOfError(error) !== 'EEXIST') throw error;
}
