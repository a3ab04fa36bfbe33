/**
 * Reads the answer logs of this process and others: which files a folder has, and which answers each file has. Results are cached
 * while the file or the folder has not changed.
 */
import { readFile, stat } from 'node:fs/promises';
import { MINUTE_MS } from '../../contract/values/index.js';
import { absent, namesIn, readAt } from '../journal/durable-file.js';
import { linesOf } from '../journal/sum-line.js';
import { buildIndex, type AnswerIndex } from './answer-index.js';
import { parseAnswerLine, type LoggedAnswer } from './answer-line.js';

export interface LogFile {
  readonly name: string;
  readonly beganMs: number;
}

export interface LogReader {
  /** By name, so the oldest first. */
  readonly filesIn: (folder: string) => Promise<readonly LogFile[]>;
  readonly indexOf: (file: string) => Promise<AnswerIndex>;
  /** An answer of the file; its raw bytes if it is damaged. */
  readonly read: (file: string, intentId: string) => Promise<LoggedAnswer | Buffer | undefined>;
}

const NAME = /^answers-(\d{13})-[0-9a-f-]{36}\.jsonl$/;
/** Limit of the cache: an index has some hundred kilobytes. */
const INDEXES_AT_MOST = 32;
/** A last line without an end may still be in writing, until the file has not changed for this long. */
export const STILL_MS = MINUTE_MS;

export function isLog(name: string): boolean {
  return NAME.test(name);
}

export function beganMsOf(name: string): number {
  return Number(NAME.exec(name)?.[1]);
}

export function createLogReader(): LogReader {
  const indexes = new Map<string, { readonly size: number; readonly mtimeMs: number; readonly index: AnswerIndex }>();
  const listings = new Map<string, { readonly changedMs: number; readonly files: readonly LogFile[] }>();

  /**
   * A file changes at its end, or where a line is blanked; size and time show both. If it has grown, only the new end is read.
   */
  const indexOf = async (file: string): Promise<AnswerIndex> => {
    const { size = 0, mtimeMs = 0 } = (await stat(file).catch(absent)) ?? {};
    const known = indexes.get(file);
    let index: AnswerIndex;
    if (known?.size === size && known.mtimeMs === mtimeMs) index = known.index;
    else if (known === undefined || size <= known.size) index = buildIndex(await contentOf(file));
    else index = buildIndex(await readFrom(file, known.index.end, size), known.index);
    indexes.delete(file);
    indexes.set(file, { size, mtimeMs, index });
    for (const oldest of indexes.keys()) if (indexes.size > INDEXES_AT_MOST) indexes.delete(oldest);
    return index;
  };
  const filesIn = async (folder: string): Promise<readonly LogFile[]> => {
    const changedMs = (await stat(folder).catch(absent))?.mtimeMs ?? 0;
    const known = listings.get(folder);
    // Two changes may have the same time, so a recent listing is read again.
    if (known?.changedMs === changedMs && Date.now() - changedMs > STILL_MS) return known.files;
    const names = (await namesIn(folder)).filter(isLog).sort();
    const files = names.map((name) => ({ name, beganMs: beganMsOf(name) }));
    listings.set(folder, { changedMs, files });
    return files;
  };
  const read = async (file: string, intentId: string): Promise<LoggedAnswer | Buffer | undefined> => {
    const place = (await indexOf(file)).places.get(intentId);
    const line = place && (await readAt(file, place).catch(absent));
    if (line !== undefined && linesOf(line).next().done === true) {
      // The line was blanked since it was indexed.
      indexes.delete(file);
      return undefined;
    }
    const parsed = line && parseAnswerLine(line.toString());
    return parsed?.kind === 'answer' ? parsed.answer : line;
  };
  return { filesIn, indexOf, read };
}

async function readFrom(file: string, at: number, size: number): Promise<Buffer> {
  return (await readAt(file, { at, bytes: size - at }).catch(absent)) ?? Buffer.alloc(0);
}

export async function contentOf(file: string): Promise<Buffer> {
  return (await readFile(file).catch(absent)) ?? Buffer.alloc(0);
}
