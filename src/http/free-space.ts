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

/** Text of what is wrong; undefined when there is room, or when the system does not say how much. */
export async function spaceProblem(directory: string, wantedBytes = 0): Promise<string | undefined> {
  const root = join(directory, 'sha256');
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await access(root, constants.W_OK | constants.X_OK);
  } catch (error) {
    return `the files directory cannot be written (${describeError(error, 'no access')})`;
  }
  try {
    const { bavail, bsize } = await statfs(root);
    const free = bavail * bsize;
    return free < LEAST_BYTES + wantedBytes
      ? `the files directory has only ${Math.floor(free / 1_000_000)} MB left`
      : undefined;
  } catch {
    return undefined;
  }
}
