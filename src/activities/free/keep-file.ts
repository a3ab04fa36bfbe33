/**
 * Waits until the file store has a file. Each attempt tries once and the server repeats it, so a long outage of the store adds
 * no history events. The worker that has the file on its disk uploads it, in its rounds or when this runs there.
 */
import { nameOfError } from '../../contract/values/index.js';
import { untilAborted } from '../../files/index.js';
import type { Asker } from '../asker.js';
import type { ServiceDeps } from '../deps.js';
import { notYet } from '../to-failure.js';

const FIRST_AGAIN_MS = 1_000;
const AGAIN_WITHIN_MS = 30_000;

export async function keepFile(
  { files }: Pick<ServiceDeps, 'files'>,
  sha256: string,
  { attempt, signal }: Pick<Asker, 'attempt' | 'signal'>,
): Promise<void> {
  const againMs = Math.min(FIRST_AGAIN_MS * 2 ** (attempt - 1), AGAIN_WITHIN_MS);
  const kept = await untilAborted(files.keep(sha256), signal).catch((error: unknown) => {
    // A shutdown or a cancellation says nothing about the store.
    signal.throwIfAborted();
    throw notYet(`the file store does not accept the file (${nameOfError(error)})`, againMs);
  });
  if (kept === 'not here') throw notYet('the file is on the disk of another worker, which has to upload it', againMs);
}
