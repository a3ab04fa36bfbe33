/**
 * Log files of the programs we start: plain, without prefixes, readable only by us. The program gets the open file
 * itself, so it keeps logging after our end.
 */
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file larger than this is put aside as `<name>.1` at the next start. */
const ROTATE_AT_BYTES = 10 * 1024 * 1024;

const TAIL_LINES = 8;

/** Opens the log for appending, lends its descriptor, closes it (the started program keeps its own). */
export function withLogFile<T>(file: string, use: (fd: number) => T): T {
  mkdirSync(dirname(file), { recursive: true });
  if (sizeInBytes(file) > ROTATE_AT_BYTES) renameSync(file, `${file}.1`);
  const fd = openSync(file, 'a', 0o600);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** The last lines that a log gained since `fromByte`, for an error message. */
export function logTail(file: string, fromByte: number): string {
  try {
    const text = readFileSync(file).subarray(fromByte).toString('utf8').trimEnd();
    return text.split('\n').slice(-TAIL_LINES).join('\n');
  } catch {
    return '';
  }
}

export function sizeInBytes(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
