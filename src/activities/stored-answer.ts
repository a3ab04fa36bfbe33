/** The stored answer of a paid call, read later. While the ledger is held a lost one may still come back. */
import { parseStrictJson } from '../http/index.js';
import type { LedgerDeps } from './deps.js';
import { notYet } from './to-failure.js';

const AGAIN_AFTER_MS = 5_000;

/** Undefined where the ledger has no answer for this row: it was lost, or there never was one. */
export async function readStoredAnswer(
  deps: Pick<LedgerDeps, 'ledger'>,
  account: string,
  intentId: string,
): Promise<unknown> {
  return (await readDatedAnswer(deps, account, intentId))?.json;
}

/** With the time of the call that got it: an answer that is reused says nothing of the days since then. */
export async function readDatedAnswer(
  { ledger }: Pick<LedgerDeps, 'ledger'>,
  account: string,
  intentId: string,
): Promise<{ readonly json: unknown; readonly openedAtMs: number } | undefined> {
  const answer = await ledger.answerBytes(intentId);
  if (answer !== undefined) return { json: parseStored(answer.bytes), openedAtMs: answer.openedAtMs };
  const hold = await ledger.holdOf(account, { free: false });
  if (hold?.because !== 'ledger') return undefined;
  throw notYet('the ledger is being reconciled; the answer may come back', AGAIN_AFTER_MS);
}

/** Read as strictly as when it was judged (long numbers stay text); anything else reads as nothing. */
export function parseStored(bytes: Buffer): unknown {
  const parsed = parseStrictJson(bytes);
  return parsed.ok ? parsed.value : undefined;
}
