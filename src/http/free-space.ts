/**
 * Checks that the disk has room for a file and can be written. A disk that fails after the charge loses a paid result, so
 * the check comes before the request.
 */
import { constants } from 'node:fs';
import { access, mkdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { describeError } from './redact.js';

/** With less free space than this nothing is fetched. */
const LEAST_BYTES = 64_000_000;
const MEGABYTE = 1_000_000;
/** What a full disk answers to a write, and a quota that `statfs` does not show. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** Text of what is wrong; undefined when there is room, or when the system does not say how much. */
export async function spaceProblem(directory: string, wantedBytes = 0): Promise<string | undefined> {
  const root = join(directory, 'sha256');
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await access(root, constants.W_OK | constants.X_OK);
  } catch (error) {
    return cannotWrite(error);
  }
  try {
    const { bavail, bsize } = await statfs(root);
    const free = bavail * bsize;
    if (free >= LEAST_BYTES + wantedBytes) return undefined;
    const wanted = wantedBytes < MEGABYTE ? '' : ` for a file of ${Math.ceil(wantedBytes / MEGABYTE)} MB`;
    return `the files directory has only ${Math.floor(free / MEGABYTE)} MB left${wanted}`;
  } catch {
    return undefined;
  }
}

/** {@link spaceProblem} after a write of a file has failed; undefined when the disk is not the cause. */
export async function spaceProblemAfter(error: unknown, directory: string): Promise<string | undefined> {
  return (await spaceProblem(directory)) ?? (FULL.has(describeError(error)) ? cannotWrite(error) : undefined);
}

function cannotWrite(error: unknown): string {
  return `the files directory cannot be written (${describeError(error, 'no access')})`;
}
