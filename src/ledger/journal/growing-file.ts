/**
 * The file of a log that is being written, readable only by this user. A new one is begun when it is full, old or gone, or when
 * nobody knows how much of a write has reached the disk.
 */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { mkdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { append, openNew, syncDirectory } from './durable-file.js';

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

/** One call at a time. */
interface GrowingFile {
  /** Returns the name of the file that has the text, once it is on the disk. After a failure the next text begins a new file. */
  readonly append: (text: string) => Promise<string>;
  /** Name of the file that is being written. */
  readonly current: () => string | undefined;
  /** Ends the file. */
  readonly close: () => Promise<void>;
}

interface Current {
  readonly handle: FileHandle;
  readonly name: string;
  readonly inode: number;
  readonly openedAtMs: number;
  bytes: number;
}

export function createGrowingFile(files: LogFiles): GrowingFile {
  const { directory, ageMs = Infinity, clock = () => Date.now() } = files;
  let current: Current | undefined;

  /** False if the file was removed or moved under a running worker: further texts would go with it unnoticed. */
  const isThere = ({ name, inode }: Current): boolean =>
    statSync(join(directory, name), { throwIfNoEntry: false })?.ino === inode;
  const fileForWriting = async (): Promise<Current> => {
    const nowMs = clock();
    // A clock that was turned back also ends a file: the time in its name lies ahead.
    const isYoung = current !== undefined && Math.abs(nowMs - current.openedAtMs) < ageMs;
    if (current !== undefined && isYoung && current.bytes < files.bytes && isThere(current)) return current;
    await current?.handle.close();
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const name = `${files.prefix}-${String(nowMs).padStart(13, '0')}-${randomUUID()}.jsonl`;
    const handle = await openNew(join(directory, name));
    current = { handle, name, inode: (await handle.stat()).ino, openedAtMs: nowMs, bytes: 0 };
    await syncDirectory(directory);
    return current;
  };
  /** Ends the file. An empty one is removed: retries would fill a full disk with them. */
  const giveUp = async (): Promise<void> => {
    const ended = current;
    current = undefined;
    await ended?.handle.close().catch(() => undefined);
    const file = ended && join(directory, ended.name);
    if (file !== undefined && (await stat(file)).size === 0) await rm(file);
  };

  return {
    append: async (text) => {
      try {
        const file = await fileForWriting();
        await append(file.handle, text);
        file.bytes += Buffer.byteLength(text);
        return file.name;
      } catch (error) {
        await giveUp().catch(() => undefined);
        throw error;
      }
    },
    current: () => current?.name,
    close: async () => {
      const ended = current;
      current = undefined;
      await ended?.handle.close();
    },
  };
}
