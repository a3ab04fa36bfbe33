/** The stored answer of a paid call, for whoever reads it later. While the ledger is held a lost one may still come back. */
import type { ActivityDeps } from '../deps.js';
import { notYet } from '../to-failure.js';
import { parseStored } from './stored-outcome.js';

const AGAIN_AFTER_MS = 5_000;

/** Undefined where the ledger has no answer for this row: it was lost, or there never was one. */
export async function readStoredAnswer(
  deps: Pick<ActivityDeps, 'ledger'>,
  account: string,
  intentId: string,
): Promise<unknown> {
  const answer = await deps.ledger.answerBytes(intentId);
  if (answer !== undefined) return parseStored(answer.bytes);
  const hold = await deps.ledger.holdOf(account, { free: false });
  if (hold?.because !== 'ledger') return undefined;
  throw notYet('the ledger is being reconciled; the answer may come back', AGAIN_AFTER_MS);
}
