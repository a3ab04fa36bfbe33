/** What a journal remembers of the database between two runs of its process, in a file beside its lines. */
import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOfError } from '../../contract/values/index.js';
import { absent, setAsideName, syncDirectory, writeWhole } from './durable-file.js';

export interface JournalState {
  readonly journalId: string;
  /** Life of the database in which this journal was heard last. */
  readonly epoch: string | null;
  /** Other journals of the installation, by id, with their labels. */
  readonly peers: Readonly<Record<string, string>>;
}

const FILE = 'state.json';

/** A state that is missing or damaged begins again. `onDamage`: called with the file to which a damaged one was set aside. */
export async function openState(directory: string, onDamage: (setAside: string) => void): Promise<JournalState> {
  const file = join(directory, FILE);
  const text = await readFile(file, 'utf8').catch(absent);
  const known = text === undefined ? undefined : parseState(text);
  if (known !== undefined) return known;
  if (text !== undefined) {
    const setAside = await setAsideOnly(text, file);
    if (setAside !== undefined) onDamage(setAside);
  }
  // Lines may be lost with the state, so the journal gets another id: until somebody decides, a hold waits for the old one.
  const fresh: JournalState = { journalId: randomUUID(), epoch: null, peers: {} };
  return writeState(directory, fresh, 'first');
}

/**
 * Moves the file away if it still has the damaged text; undefined if not. Another process may have found the same damage and
 * begun a new state since: that one is put back.
 */
async function setAsideOnly(damaged: string, file: string): Promise<string | undefined> {
  const setAside = setAsideName(file);
  try {
    await rename(file, setAside);
    if ((await readFile(setAside, 'utf8')) === damaged) return setAside;
    await link(setAside, file).catch(ignoreExisting);
    await rm(setAside);
  } catch (error) {
    absent(error);
  }
  return undefined;
}

/** Undefined for a text that is no state: a copy of the folder may have been cut. */
function parseState(text: string): JournalState | undefined {
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
export async function writeState(directory: string, state: JournalState, as: 'first' | 'next'): Promise<JournalState> {
  const file = join(directory, FILE);
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
