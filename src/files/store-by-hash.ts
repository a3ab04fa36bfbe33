/**
 * Streams bytes into the content-addressed store `sha256/ab/cd/<hash>`: temporary file, running hash, fsync, rename, fsync of
 * the directories. After a crash at any point there is no file, or a file whose name is its hash. Knows nothing of HTTP; the
 * name of a document is never part of a path.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathOf } from './address.js';

/** Bytes kept from each end of a file, by which the caller judges whether it is complete. */
export const EDGE_BYTES = 1_024;

/** Where downloaded files are written. */
export interface Landing {
  /** The file is put under `sha256/` in it. */
  readonly directory: string;
  /** Called when a file has landed; returns its name in results and records. Default: its path below the directory. */
  readonly landed?: (sha256: string) => string;
}

/** A whole file, on disk under its hash. */
export interface StoredFile {
  readonly sha256: string;
  readonly bytes: number;
  /** Its name in results and records. */
  readonly stored: string;
}

export interface FileEdges {
  readonly first: Buffer;
  readonly last: Buffer;
  readonly bytes: number;
}

/**
 * `acceptProblem` runs after all bytes are written and before the file becomes visible; a text from it discards the file and is
 * thrown as {@link Discarded}. Rejects with any error of `source` or the file system; no temporary file is left then.
 */
export async function storeByHash(
  { directory, landed = pathOf }: Landing,
  source: AsyncIterable<Buffer>,
  acceptProblem: (edges: FileEdges, sha256: string) => string | undefined,
): Promise<StoredFile> {
  const root = join(directory, 'sha256');
  await mkdir(root, { recursive: true, mode: 0o700 });
  const temporary = join(root, `.part-${randomBytes(12).toString('hex')}`);
  try {
    const { sha256, edges } = await writeAll(temporary, source);
    const problem = acceptProblem(edges, sha256);
    if (problem !== undefined) throw new Discarded(problem);
    const target = join(directory, pathOf(sha256));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if ((await sizeOf(target)) === edges.bytes) await rm(temporary, { force: true });
    else await rename(temporary, target);
    for (const folder of [dirname(target), dirname(dirname(target)), root, directory]) await syncDirectory(folder);
    return { sha256, bytes: edges.bytes, stored: landed(sha256) };
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** The bytes arrived but are not kept; `reason` is safe to show. */
export class Discarded extends Error {
  override readonly name = 'Discarded';
  readonly reason: string;
  constructor(reason: string) {
    super(`tramita: ${reason}`);
    this.reason = reason;
  }
}

/** Compares names, because the error may come from another copy of this module. */
export function isDiscarded(error: unknown): error is Discarded {
  return (error as { readonly name?: unknown } | null | undefined)?.name === 'Discarded';
}

async function writeAll(
  path: string,
  source: AsyncIterable<Buffer>,
): Promise<{ readonly sha256: string; readonly edges: FileEdges }> {
  const file = await open(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let [first, last, bytes] = [Buffer.alloc(0), Buffer.alloc(0), 0];
    for await (const chunk of source) {
      await file.appendFile(chunk);
      hash.update(chunk);
      bytes += chunk.length;
      if (first.length < EDGE_BYTES) first = Buffer.concat([first, chunk.subarray(0, EDGE_BYTES - first.length)]);
      last = Buffer.concat([last, chunk.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
    }
    await file.sync();
    return { sha256: hash.digest('hex'), edges: { first, last, bytes } };
  } finally {
    await file.close();
  }
}

/** Size of a file on this machine; undefined if there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    (stats) => stats.size,
    () => undefined,
  );
}

/** Without this a power failure can undo the rename. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
