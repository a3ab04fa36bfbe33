/**
 * Files of a worker: where they land, and their way into the file store. Where the store is another place, whatever lies in the
 * worker's own directory is owed to it: also files of a process that was killed, and those that were bought before the store was
 * another place. The copy here goes only when the store shows the whole file, so bytes that came are never lost or fetched again.
 */
import { open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pathOf, shaOf } from './address.js';
import { createFileStore } from './create-file-store.js';
import { storeError, type StorePlace } from './file-store.js';
import { inParallel } from './in-parallel.js';
import { readWhole } from './read-whole.js';
import { isSamePlace } from './same-place.js';
import { sizeOf, type Landing } from './store-by-hash.js';
import { sweepParts } from './sweep-parts.js';
import { untilAborted } from './until-aborted.js';
import { walkFiles } from './walk-files.js';

/** As configuration has them. */
export interface FilesSettings {
  /** The worker's own directory. */
  readonly filesDir: string;
  /** Absent: that directory is the store. */
  readonly fileStore?: StorePlace;
}

/** The files of one worker: what landed on its disk, and the file store that they go to. {@link createFiles} makes it. */
export interface Files {
  /** For the receiver of bytes. */
  readonly landing: Required<Landing>;
  /** The store is another place than the worker's own directory, so a file that has landed is on its way. */
  readonly elsewhere: boolean;
  /** What results and records call a file. */
  nameOf(sha256: string): string;
  /**
   * Brings a file that has landed here into the store. `not here`: neither the store nor this machine has it; another worker may.
   * Rejects while the store does not answer; the file stays owed.
   */
  keep(sha256: string): Promise<'kept' | 'not here'>;
  /**
   * One round over what is owed; returns how many files the store has taken. Rejects with the first reason, after the round. Ends
   * with `signal` at once: what it was doing goes on, and is begun again by the next process if need be.
   */
  bringOwed(signal?: AbortSignal): Promise<number>;
  /** Which of these neither the store nor this machine has. Rejects where the store does not answer. */
  missing(stored: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Bytes of a file as a result or a record names it, from the store or, while it is on its way, from this machine. Ends with an
   * error where they are not what the name says. Undefined where there is none.
   */
  open(stored: string): Promise<Readable | undefined>;
  /** Removes a file from the store and from this machine. No error where there is none. */
  remove(sha256: string): Promise<void>;
  /** Drops half written files that nobody has touched for so long. */
  sweepParts(olderThanMs: number): Promise<number>;
}

/** Files that one round looks for on the disk; the next round goes on. */
const MOST_OF_A_WALK = 1_000;
const AT_ONCE = 4;
const ASKED_AT_ONCE = 16;
/** A store that has refused this many in one round is away. */
const MOST_FAILURES = 3;
const WALK_EVERY_MS = 3_600_000;

/** Makes {@link Files} of the settings: for a worker, or to open a file that a result or a record names. Opens nothing yet. */
export function createFiles({ filesDir: directory, fileStore }: FilesSettings): Files {
  const place: StorePlace = fileStore ?? { kind: 'directory', path: directory };
  const elsewhere = place.kind === 's3' || resolve(place.path) !== resolve(directory);
  const store = createFileStore(place);
  const owed = new Set<string>();
  const underWay = new Map<string, Promise<'kept' | 'not here'>>();
  let walkedAtMs = -Infinity;
  let isOther: boolean | undefined;

  /** Under another name the own directory is no other place: what is removed from it would be gone from the store. */
  const isOtherPlace = async (): Promise<boolean> =>
    (isOther ??= elsewhere && !(place.kind === 'directory' && (await isSamePlace(directory, place.path))));

  const landed = (sha256: string): string => {
    if (elsewhere) owed.add(sha256);
    return store.nameOf(sha256);
  };

  const pathHere = (sha256: string): string => join(directory, pathOf(sha256));
  const sizeHere = (sha256: string): Promise<number | undefined> => sizeOf(pathHere(sha256));

  const bring = async (sha256: string): Promise<'kept' | 'not here'> => {
    const path = pathHere(sha256);
    const bytes = await sizeHere(sha256);
    if (bytes === undefined) {
      const kept = (await store.sizeOf(sha256)) !== undefined;
      owed.delete(sha256);
      return kept ? 'kept' : 'not here';
    }
    owed.add(sha256);
    const isThere = async (): Promise<boolean> => (await store.sizeOf(sha256)) === bytes;
    if (!(await isThere())) {
      await store.put({ sha256, bytes, path });
      if (!(await isThere())) throw storeError('trusted', 'it does not show what it has taken');
    }
    await rm(path, { force: true });
    owed.delete(sha256);
    return 'kept';
  };

  const keep = async (sha256: string): Promise<'kept' | 'not here'> => {
    if (!(await isOtherPlace())) return 'kept';
    const running = underWay.get(sha256) ?? bring(sha256).finally(() => underWay.delete(sha256));
    underWay.set(sha256, running);
    return running;
  };

  /** What another process has left here, or what was here before the store was another place. */
  const walk = async (): Promise<void> => {
    if (Date.now() - walkedAtMs < WALK_EVERY_MS) return;
    for await (const sha256 of walkFiles(directory)) {
      owed.add(sha256);
      if (owed.size >= MOST_OF_A_WALK) return;
    }
    walkedAtMs = Date.now();
  };

  const round = async (signal?: AbortSignal): Promise<number> => {
    if (!(await isOtherPlace())) {
      owed.clear();
      return 0;
    }
    if (owed.size < MOST_OF_A_WALK) await walk();
    const failures: unknown[] = [];
    let brought = 0;
    await inParallel([...owed], AT_ONCE, async (sha256) => {
      if (failures.length >= MOST_FAILURES || signal?.aborted === true) return;
      await keep(sha256).then(
        () => (brought += 1),
        (error: unknown) => {
          failures.push(error);
          // To the end of the line: a file that can never be brought must not hold up the others.
          if (owed.delete(sha256)) owed.add(sha256);
        },
      );
    });
    if (failures.length > 0) throw failures[0];
    return brought;
  };

  return {
    landing: { directory, landed },
    elsewhere,
    nameOf: (sha256) => store.nameOf(sha256),
    keep,
    bringOwed: (signal) => (signal === undefined ? round() : untilAborted(round(signal), signal)),
    async missing(stored) {
      const missing = new Set<string>();
      await inParallel(stored, ASKED_AT_ONCE, async (name) => {
        const sha256 = shaOf(name);
        if (sha256 !== undefined && elsewhere && (await sizeHere(sha256)) !== undefined) return;
        if (sha256 === undefined || (await store.sizeOf(sha256)) === undefined) missing.add(name);
      });
      return missing;
    },
    async open(stored) {
      const sha256 = shaOf(stored);
      if (sha256 === undefined) return undefined;
      const onItsWay = elsewhere ? await openHere(pathHere(sha256)) : undefined;
      const bytes = onItsWay ?? (await store.open(sha256));
      return bytes && readWhole(bytes, sha256);
    },
    async remove(sha256) {
      owed.delete(sha256);
      await store.remove(sha256);
      if (elsewhere) await rm(pathHere(sha256), { force: true });
    },
    async sweepParts(olderThanMs) {
      const own = await sweepParts(directory, olderThanMs);
      return own + (elsewhere && place.kind === 'directory' ? await sweepParts(place.path, olderThanMs) : 0);
    },
  };
}

/** Opened at once: a copy that goes meanwhile is still read to its end. */
async function openHere(path: string): Promise<Readable | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  return file?.createReadStream();
}
