/**
 * Waits until the file store has a file: one try an attempt, repeated by the server, so a store that is away for long adds no
 * history events. The worker on whose disk the file landed brings it, in its rounds or when this runs there.
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
    // A deploy or a cancel says nothing of the store.
    signal.throwIfAborted();
    throw notYet(`the file store does not take the file (${nameOfError(error)})`, againMs);
  });
  if (kept === 'not here')
    throw notYet('the file is on the disk of another worker, which brings it to the file store', againMs);
}
