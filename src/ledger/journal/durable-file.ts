/** File operations whose results survive a power cut. */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fsync, open, openSync, writeFile } from 'node:fs';
import { open as openHandle, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { codeOfError } from '../../contract/values/index.js';

const [openFile, writeTo, sync] = [promisify(open), promisify(writeFile), promisify(fsync)];
const { O_APPEND, O_CREAT, O_DSYNC, O_EXCL, O_TRUNC, O_WRONLY } = constants;

/**
 * With `O_DSYNC` a write ends when it is on the disk, without a separate sync in another thread. Other systems than Linux lack
 * the flag or promise less by it.
 */
const SYNCED = process.platform === 'linux' ? O_DSYNC : 0;
const flush = SYNCED === 0;
const NEW = O_WRONLY | O_CREAT | SYNCED;
const OWNER_ONLY = 0o600;

/**
 * Writes a file whole or not at all: first to the disk under the name `partial`, readable only by this user, then `land` puts it
 * in its place. A failed one is removed: on a full disk it would block the next. {@link syncDirectory} makes the name durable.
 */
export async function writeWhole(
  partial: string,
  content: Buffer | string,
  land: () => Promise<unknown>,
): Promise<void> {
  try {
    const descriptor = await openFile(partial, NEW | O_TRUNC, OWNER_ONLY);
    await closeAfter(descriptor, writeTo(descriptor, content, { flush }));
    await land();
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** A new file, to append to with {@link append}. */
export function openNew(path: string): Promise<FileHandle> {
  return openHandle(path, NEW | O_EXCL | O_APPEND, OWNER_ONLY);
}

/** Returns once the text is on the disk. It is a single write: another process may append between two. */
export async function append(handle: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const { bytesWritten } = await handle.write(bytes);
  if (bytesWritten < bytes.length) throw new Error('tramita: the disk took only a part of a text');
  if (flush) await handle.datasync();
}

/** Reads bytes of a file; zeros where the file is too short. */
export async function readAt(
  file: string,
  { at, bytes }: { readonly at: number; readonly bytes: number },
): Promise<Buffer> {
  const handle = await openHandle(file, 'r');
  try {
    return (await handle.read(Buffer.alloc(bytes), 0, bytes, at)).buffer;
  } finally {
    await handle.close();
  }
}

/** Overwrites bytes of a file that others may append to; returns once they are on the disk. */
export async function writeAt(file: string, at: number, bytes: Buffer): Promise<void> {
  const handle = await openHandle(file, 'r+');
  try {
    await handle.write(bytes, 0, bytes.length, at);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** A new name under which a damaged file is set aside for a person. */
export function setAsideName(file: string): string {
  return `${file}.corrupt-${Date.now()}-${randomUUID().slice(0, 8)}`;
}

/** A new or renamed file is durable only once its folder is on the disk too. Opening a folder does not wait for the disk. */
export async function syncDirectory(directory: string): Promise<void> {
  const descriptor = openSync(directory, 'r');
  await closeAfter(descriptor, sync(descriptor));
}

/** Nothing is left to be written, so closing does not block; another hop to a thread would cost more. */
async function closeAfter(descriptor: number, use: Promise<void>): Promise<void> {
  try {
    await use;
  } finally {
    closeSync(descriptor);
  }
}

/** Names in a folder, unsorted; empty if there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(absent)) ?? [];
}

/** Size of a file; 0 if there is no file. */
export async function bytesOf(file: string): Promise<number> {
  return (await stat(file).catch(absent))?.size ?? 0;
}

/** For `catch`: undefined if the file or folder does not exist; any other error is thrown again. */
export function absent(error: unknown): undefined {
  if (codeOfError(error) === 'ENOENT') return undefined;
  throw error;
}
