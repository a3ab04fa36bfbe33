/** Is there room for a file? A full disk after a charge is a lost result, so it is asked before the request is written. */
import { mkdir, statfs } from 'node:fs/promises';

/** Below this nothing is begun. */
const LEAST_BYTES = 64_000_000;

/** Undefined when there is room, or when the system does not tell. */
export async function spaceProblem(directory: string, wantedBytes = 0): Promise<string | undefined> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(directory);
    const free = bavail * bsize;
    return free < LEAST_BYTES + wantedBytes
      ? `the files directory has only ${Math.floor(free / 1_000_000)} MB left`
      : undefined;
  } catch {
    return undefined;
  }
}
