/**
 * An append-only file of JSON lines. Lines that belong together are written by one call and, when they are about money,
 * fsynced before the call returns. A line torn by a crash was never acknowledged and is dropped on opening.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface Journal {
  readonly onDisk: boolean;
  /** What the file holds now, oldest first. */
  read(): readonly unknown[];
  append(lines: readonly object[], options: { readonly durable: boolean }): void;
  close(): void;
}

const FILE_NAME = 'charge-book.jsonl';

/** Without a directory nothing is stored. */
export function openJournal(dataDir: string | undefined): Journal {
  if (dataDir === undefined) return { onDisk: false, read: () => [], append: () => undefined, close: () => undefined };
  const path = join(dataDir, FILE_NAME);
  const file = openFile(dataDir, path);
  return {
    onDisk: true,
    read: () => readLines(path),
    append(lines, { durable }) {
      writeSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      if (durable) fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

function openFile(dataDir: string, path: string): number {
  try {
    makeFolder(resolve(dataDir));
    if (existsSync(path)) dropTornLine(path);
    return openSync(path, 'a');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Error(
      `tramita: sandbox options: dataDir: ${JSON.stringify(dataDir)} cannot be written (${code}); name a folder of the sandbox`,
      { cause: error },
    );
  }
}

/**
 * Like `mkdirSync` with `recursive`, but it always ends: Node's never returns if a parent exists and refuses new folders with
 * ENOENT, as `/proc` does.
 */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

function dropTornLine(path: string): void {
  const content = readFileSync(path);
  const whole = content.lastIndexOf('\n') + 1;
  if (whole < content.length) truncateSync(path, whole);
}

/** Reads line by line: a long book does not fit into one string. */
function readLines(path: string): unknown[] {
  const content = readFileSync(path);
  const lines: unknown[] = [];
  for (let from = 0; from < content.length;) {
    const end = content.indexOf('\n', from);
    if (end === -1) break;
    lines.push(JSON.parse(content.toString('utf8', from, end)));
    from = end + 1;
  }
  return lines;
}
