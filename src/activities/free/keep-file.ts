/**
 * Waits until the file store has a file: one try an attempt, repeated by the server, so a store that is away for long adds no
 * history events. The worker on whose disk the file landed brings it, in its rounds or when this runs there.
 */
import { nameOfError, notYet } from '../to-failure.js';
import type { ServiceDeps } from '../deps.js';

const FIRST_AGAIN_MS = 1_000;
const AGAIN_WITHIN_MS = 30_000;

/** `attempt`: from 1. */
export async function keepFile({ files }: Pick<ServiceDeps, 'files'>, sha256: string, attempt: number): Promise<void> {
  const againMs = Math.min(FIRST_AGAIN_MS * 2 ** (attempt - 1), AGAIN_WITHIN_MS);
  const kept = await files.keep(sha256).catch((error: unknown) => {
    throw notYet(`the file store does not take the file (${nameOfError(error)})`, againMs);
  });
  if (kept === 'not here')
    throw notYet('the file is on the disk of another worker, which brings it to the file store', againMs);
}
