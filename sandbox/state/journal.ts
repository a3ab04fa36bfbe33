/**
 * An append-only file of JSON lines. Lines that belong together are written by one call and, when they are about money,
 * fsynced before the call returns; a line torn by a crash was never acknowledged to anybody and is dropped on opening.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Journal {
  /** What the file held when it was opened, oldest first. */
  readonly found: readonly unknown[];
  readonly onDisk: boolean;
  /** What the file holds now. */
  read(): readonly unknown[];
  append(lines: readonly object[], options: { readonly durable: boolean }): void;
  close(): void;
}

const FILE_NAME = 'charge-book.jsonl';

/** Without a directory nothing is kept. */
export function openJournal(dataDir: string | undefined): Journal {
  if (dataDir === undefined)
    return { found: [], onDisk: false, read: () => [], append: () => undefined, close: () => undefined };
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, FILE_NAME);
  const found = existsSync(path) ? readLines(path) : [];
  const file = openSync(path, 'a');
  return {
    found,
    onDisk: true,
    read: () => readLines(path),
    append(lines, { durable }) {
      writeSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      if (durable) fsyncSync(file);
    },
    close: () => closeSync(file),
  };
}

function readLines(path: string): unknown[] {
  const content = readFileSync(path);
  const whole = content.lastIndexOf('\n') + 1;
  if (whole < content.length) truncateSync(path, whole);
  return content
    .subarray(0, whole)
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}
