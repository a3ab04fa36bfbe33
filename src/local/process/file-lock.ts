/**
 * A lock across processes: a file that only one process can create (`wx`). The file names its holder, so the lock of a
 * dead holder is taken over. The holder touches the file while it works, because another machine or container with the same
 * home folder can judge only by that. The guarded work must tolerate two holders anyway (temporary names and atomic
 * renames): the lock saves work, it guarantees nothing. Not `proper-lockfile`: it judges by age alone, so a dead holder
 * blocks until its lock is stale, a stopped one loses it, and it does not say who holds it.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readlinkSync, rmdirSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { codeOfError } from '../../contract/values/index.js';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js';
import { readJson } from './state-file.js';
import { waitUntil } from './wait-until.js';

const TOUCH_EVERY_MS = 5_000;

/** A lock of another machine counts as left behind after this long without a touch. */
export const FOREIGN_LOCK_STALE_MS = 60_000;

/** The same for a lock file without readable content: its writer is between create and write, or died there. */
export const UNREADABLE_LOCK_STALE_MS = 10_000;

export interface LockHolder extends ProcessIdentity {
  readonly host: string;
  readonly token: string;
  /** What the holder does, for the message of a waiting process: "building Temporal 1.8.2". */
  readonly purpose: string;
}

export interface FileLock {
  release(): void;
}

/** Pure: whether an existing lock file no longer counts. */
export function isLeftBehind(seen: {
  readonly holder: LockHolder | undefined;
  readonly untouchedMs: number;
  readonly host: string;
  readonly isHolderAlive: boolean;
}): boolean {
  const { holder, untouchedMs, host, isHolderAlive } = seen;
  if (holder === undefined) return untouchedMs > UNREADABLE_LOCK_STALE_MS;
  return holder.host === host ? !isHolderAlive : untouchedMs > FOREIGN_LOCK_STALE_MS;
}

/** Takes the lock now, or returns who holds it (undefined when that cannot be read). */
export function tryLock({
  file,
  purpose,
}: Pick<WithLockOptions<never>, 'file' | 'purpose'>):
  { readonly lock: FileLock } | { readonly holder: LockHolder | undefined } {
  const mine: LockHolder = { ...ownIdentity(), host: machineName(), token: randomUUID(), purpose };
  const isCreated = createLockFile(file, mine) || (removeIfLeftBehind(file) && createLockFile(file, mine));
  if (!isCreated) return { holder: readHolder(file) };
  const touching = setInterval(() => {
    quietly(() => utimesSync(file, new Date(), new Date()));
  }, TOUCH_EVERY_MS).unref();
  return {
    lock: {
      release: () => {
        clearInterval(touching);
        if (readHolder(file)?.token === mine.token) quietly(() => unlinkSync(file));
      },
    },
  };
}

export interface WithLockOptions<T> {
  readonly file: string;
  readonly purpose: string;
  /** How long to wait for another holder. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called once when somebody else holds it. */
  readonly onWait?: (holder: LockHolder | undefined) => void;
  readonly use: () => Promise<T>;
}

export async function withLock<T>({ file, purpose, deadlineMs, signal, onWait, use }: WithLockOptions<T>): Promise<T> {
  let lock: FileLock | undefined;
  let isWaiting = false;
  await waitUntil({
    what: `${purpose}: getting the lock ${file}`,
    deadlineMs,
    everyMs: 200,
    signal,
    check: () => {
      const attempt = tryLock({ file, purpose });
      if ('lock' in attempt) lock = attempt.lock;
      else if (!isWaiting) {
        isWaiting = true;
        onWait?.(attempt.holder);
      }
      return lock !== undefined;
    },
  });
  try {
    return await use();
  } finally {
    lock?.release();
  }
}

function createLockFile(file: string, holder: LockHolder): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOfError(error) === 'EEXIST') return false;
    throw new Error(`tramita: the lock file ${file} cannot be created (${String(error)}); make its folder writable`, {
      cause: error,
    });
  }
}

/**
 * Only one process at a time may judge and remove another's lock. Otherwise two could both find it stale, and the
 * slower one would remove the lock that the faster one has just taken.
 */
function removeIfLeftBehind(file: string): boolean {
  const gate = `${file}.takeover`;
  try {
    mkdirSync(gate);
  } catch {
    const untouchedMs = millisecondsSinceTouch(gate);
    if (untouchedMs !== undefined && untouchedMs > UNREADABLE_LOCK_STALE_MS) quietly(() => rmdirSync(gate));
    return false;
  }
  try {
    const untouchedMs = millisecondsSinceTouch(file);
    if (untouchedMs === undefined) return true;
    const holder = readHolder(file);
    const isHolderAlive = holder !== undefined && isAlive(holder);
    if (!isLeftBehind({ holder, untouchedMs, host: machineName(), isHolderAlive })) return false;
    quietly(() => unlinkSync(file));
    return true;
  } finally {
    quietly(() => rmdirSync(gate));
  }
}

function readHolder(file: string): LockHolder | undefined {
  const { pid, startMark, host, token = '', purpose = '' } = readJson<LockHolder>(file) ?? {};
  if (typeof pid !== 'number' || typeof startMark !== 'string' || typeof host !== 'string') return undefined;
  return { pid, startMark, host, token, purpose };
}

/** Host and pid namespace: pids can only be compared inside both. */
function machineName(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function millisecondsSinceTouch(path: string): number | undefined {
  const touchedMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return touchedMs === undefined ? undefined : Date.now() - touchedMs;
}

/** Ignores errors: a file or folder that is already gone needs no change. */
function quietly(change: () => void): void {
  try {
    change();
  } catch {
    // removed by hand, or by the next holder
  }
}
