/**
 * The files of one worker. They land in its own directory and are uploaded from there to the file store. If the store is another
 * place, every file in the own directory is owed to it, including files of a killed process and files bought before the store
 * was moved. The local copy is removed only after the store reports the whole file, so no bytes are lost or downloaded twice.
 */
import { open, rm, stat } from 'node:fs/promises';
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

/** The members of the configuration. */
export interface FilesSettings {
  /** The worker's own directory. */
  readonly filesDir: string;
  /** Absent: `filesDir` is the store. */
  readonly fileStore?: StorePlace;
}

/** The files of one worker, on its disk and in the file store. Made by {@link createFiles}. */
export interface Files {
  /** Where the download writes. */
  readonly landing: Required<Landing>;
  /** The store is another place than the worker's own directory, so a file that has landed still has to be uploaded. */
  readonly elsewhere: boolean;
  /** The name of a file in results and records. */
  nameOf(sha256: string): string;
  /**
   * Uploads a file that has landed here. `not here`: neither the store nor this machine has it, but another worker may.
   * Rejects if the store does not answer; the file stays owed.
   */
  keep(sha256: string): Promise<'kept' | 'not here'>;
  /**
   * Uploads the owed files in one round; returns how many are not owed any more. Rejects with the first error after the round. Rejects at
   * once when `signal` aborts: uploads in progress continue, and the next process repeats those that do not finish.
   */
  bringOwed(signal?: AbortSignal): Promise<number>;
  /** Which of these files neither the store nor this machine has. Rejects if the store does not answer. */
  missing(stored: readonly string[]): Promise<ReadonlySet<string>>;
  /** When a file came to this machine's disk; undefined if it is not there. */
  landedAtMs(sha256: string): Promise<number | undefined>;
  /**
   * Reads a file by its name in a result or a record: from this machine until it is uploaded, then from the store. The stream ends
   * with an error if the bytes do not match the hash. Undefined if there is no such file.
   */
  open(stored: string): Promise<Readable | undefined>;
  /** Removes a file from the store and from this machine. Succeeds too if there is no such file. */
  remove(sha256: string): Promise<void>;
  /** Removes partial files that have not been written to for this long. */
  sweepParts(olderThanMs: number): Promise<number>;
}

/** A walk over the disk stops at this many owed files; a later round walks again. */
const MAX_OWED = 1_000;
const UPLOADS_AT_ONCE = 4;
const LOOKUPS_AT_ONCE = 16;
/** After this many failures in one round the store counts as unreachable. */
const MAX_FAILURES = 3;
const WALK_EVERY_MS = 3_600_000;

/** Makes {@link Files} from the settings: for a worker, or to open a file that a result or a record names. Opens nothing yet. */
export function createFiles({ filesDir: directory, fileStore }: FilesSettings): Files {
  const place: StorePlace = fileStore ?? { kind: 'directory', path: directory };
  const elsewhere = place.kind === 's3' || resolve(place.path) !== resolve(directory);
  const store = createFileStore(place);
  const owed = new Set<string>();
  const underWay = new Map<string, Promise<'kept' | 'not here'>>();
  let walkedAtMs = -Infinity;
  let isOther: boolean | undefined;

  /** False if the store is the own directory under another path: removing the local copy would remove the file from the store. */
  const isOtherPlace = async (): Promise<boolean> =>
    (isOther ??= elsewhere && !(place.kind === 'directory' && (await isSamePlace(directory, place.path))));

  const landed = (sha256: string): string => {
    if (elsewhere) owed.add(sha256);
    return store.nameOf(sha256);
  };

  const pathHere = (sha256: string): string => join(directory, pathOf(sha256));
  const sizeHere = (sha256: string): Promise<number | undefined> => sizeOf(pathHere(sha256));

  const upload = async (sha256: string): Promise<'kept' | 'not here'> => {
    const path = pathHere(sha256);
    const bytes = await sizeHere(sha256);
    if (bytes === undefined) {
      const isStored = (await store.sizeOf(sha256)) !== undefined;
      owed.delete(sha256);
      return isStored ? 'kept' : 'not here';
    }
    owed.add(sha256);
    const isUploaded = async (): Promise<boolean> => (await store.sizeOf(sha256)) === bytes;
    if (!(await isUploaded())) {
      await store.put({ sha256, bytes, path });
      if (!(await isUploaded())) throw storeError('trusted', 'it does not have the file as it was sent');
    }
    await rm(path, { force: true });
    owed.delete(sha256);
    return 'kept';
  };

  const keep = async (sha256: string): Promise<'kept' | 'not here'> => {
    if (!(await isOtherPlace())) return 'kept';
    const running = underWay.get(sha256) ?? upload(sha256).finally(() => underWay.delete(sha256));
    underWay.set(sha256, running);
    return running;
  };

  /** Finds owed files that this process does not know: left by another process, or older than the move of the store. */
  const walk = async (): Promise<void> => {
    if (performance.now() - walkedAtMs < WALK_EVERY_MS) return;
    for await (const sha256 of walkFiles(directory)) {
      owed.add(sha256);
      if (owed.size >= MAX_OWED) return;
    }
    walkedAtMs = performance.now();
  };

  const round = async (signal?: AbortSignal): Promise<number> => {
    if (!(await isOtherPlace())) {
      owed.clear();
      return 0;
    }
    if (owed.size < MAX_OWED) await walk();
    const failures: unknown[] = [];
    let uploaded = 0;
    await inParallel([...owed], UPLOADS_AT_ONCE, async (sha256) => {
      if (failures.length >= MAX_FAILURES || signal?.aborted === true) return;
      await keep(sha256).then(
        () => (uploaded += 1),
        (error: unknown) => {
          failures.push(error);
          // Moved to the end of the queue: a file that can never be uploaded must not block the others.
          if (owed.delete(sha256)) owed.add(sha256);
        },
      );
    });
    if (failures.length > 0) throw failures[0];
    return uploaded;
  };

  return {
    landing: { directory, landed },
    elsewhere,
    nameOf: (sha256) => store.nameOf(sha256),
    keep,
    bringOwed: (signal) => (signal === undefined ? round() : untilAborted(round(signal), signal)),
    async missing(stored) {
      const missing = new Set<string>();
      await inParallel(stored, LOOKUPS_AT_ONCE, async (name) => {
        const sha256 = shaOf(name);
        if (sha256 !== undefined && elsewhere && (await sizeHere(sha256)) !== undefined) return;
        if (sha256 === undefined || (await store.sizeOf(sha256)) === undefined) missing.add(name);
      });
      return missing;
    },
    landedAtMs: (sha256) =>
      stat(pathHere(sha256)).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      ),
    async open(stored) {
      const sha256 = shaOf(stored);
      if (sha256 === undefined) return undefined;
      const localCopy = elsewhere ? await openHere(pathHere(sha256)) : undefined;
      const bytes = localCopy ?? (await store.open(sha256));
      return bytes && readWhole(bytes, sha256);
    },
    async remove(sha256) {
      owed.delete(sha256);
      if (elsewhere) await rm(pathHere(sha256), { force: true });
      // Without a local copy no further upload begins; one that has begun would bring the file back.
      await underWay.get(sha256)?.catch(() => undefined);
      await store.remove(sha256);
    },
    async sweepParts(olderThanMs) {
      const own = await sweepParts(directory, olderThanMs);
      return own + (elsewhere && place.kind === 'directory' ? await sweepParts(place.path, olderThanMs) : 0);
    },
  };
}

/** Opens the file immediately, so it can be read to its end even if the copy is removed meanwhile. */
async function openHere(path: string): Promise<Readable | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  return file?.createReadStream();
}
