/**
 * A log of one process in append-only files, one at a time, readable only by this user. Each text is on the disk before its
 * writer goes on; concurrent texts share a write.
 */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { append, openNew, syncDirectory } from './durable-file.js';

export interface AppendLog {
  /** Returns the name of the file that has the text, once it is on the disk. */
  append(text: string): Promise<string>;
  /** Writes the text with the next one, or alone a little later. Nobody waits for it, and a crash may lose it. */
  later(text: string): void;
  /** Name of the file that is being written. */
  current(): string | undefined;
  /** Ends the current file. The next text begins another. */
  close(): Promise<void>;
}

/** Files are named `<prefix>-<epoch ms, 13 digits>-<UUID>.jsonl`: sorted by name, they are sorted by their beginnings. */
export interface LogFiles {
  readonly directory: string;
  readonly prefix: string;
  /** A new file is begun after this many bytes. */
  readonly bytes: number;
  /** A new file is begun after this many ms. Without it a file has no age. */
  readonly ageMs?: number;
  /** Dates the names; default `Date.now`. */
  readonly clock?: () => number;
}

/** While texts keep coming, a text that goes `later` costs no write of its own. */
const LATER_MS = 100;

interface Current {
  readonly handle: FileHandle;
  readonly name: string;
  readonly inode: number;
  readonly openedAtMs: number;
  bytes: number;
}

export function createAppendLog({
  directory,
  prefix,
  bytes,
  ageMs = Infinity,
  clock = () => Date.now(),
}: LogFiles): AppendLog {
  let current: Current | undefined;
  let waiting: {
    readonly text: string;
    readonly done?: (name: string) => void;
    readonly failed?: (e: unknown) => void;
  }[] = [];
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** False if the file was removed or moved under a running worker: further texts would go with it unnoticed. */
  const isThere = ({ name, inode }: Current): boolean =>
    statSync(join(directory, name), { throwIfNoEntry: false })?.ino === inode;
  const fileForWriting = async (): Promise<Current> => {
    const nowMs = clock();
    // A clock that was turned back also ends a file: the time in its name lies ahead.
    const isYoung = current !== undefined && Math.abs(nowMs - current.openedAtMs) < ageMs;
    if (current !== undefined && isYoung && current.bytes < bytes && isThere(current)) return current;
    await current?.handle.close();
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const name = `${prefix}-${String(nowMs).padStart(13, '0')}-${randomUUID()}.jsonl`;
    const handle = await openNew(join(directory, name));
    current = { handle, name, inode: (await handle.stat()).ino, openedAtMs: nowMs, bytes: 0 };
    await syncDirectory(directory);
    return current;
  };
  /** Ends the current file. An empty one is removed: retries would fill a full disk with them. */
  const giveUp = async (): Promise<void> => {
    const ended = current;
    current = undefined;
    await ended?.handle.close().catch(() => undefined);
    const file = ended && join(directory, ended.name);
    if (file !== undefined && (await stat(file)).size === 0) await rm(file);
  };
  const writeWaiting = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const file = await fileForWriting();
        const text = batch.map((entry) => entry.text).join('');
        await append(file.handle, text);
        file.bytes += Buffer.byteLength(text);
        for (const { done } of batch) done?.(file.name);
      } catch (error) {
        // How much of it reached the disk is not known, so the next text begins a new file.
        await giveUp().catch(() => undefined);
        for (const { failed } of batch) failed?.(error);
      }
    }
    writing = undefined;
  };
  const flush = (): void => {
    if (waiting.length > 0) writing ??= writeWaiting();
  };

  return {
    append: (text) =>
      new Promise((done, failed) => {
        waiting.push({ text, done, failed });
        writing ??= writeWaiting();
      }),
    later: (text) => {
      waiting.push({ text });
      timer ??= setTimeout(() => {
        timer = undefined;
        flush();
      }, LATER_MS).unref();
    },
    current: () => current?.name,
    close: async () => {
      clearTimeout(timer);
      timer = undefined;
      flush();
      // The check and the end happen in one turn of the event loop, so no write begins in a file that is being closed.
      while (writing !== undefined) await writing;
      const ended = current;
      current = undefined;
      await ended?.handle.close();
    },
  };
}
