/** Reads the stored answer of a paid call. While the ledger is being reconciled, a lost answer may still come back. */
import { parseStrictJson } from '../http/index.js';
import type { LedgerDeps } from './deps.js';
import { notYet } from './to-failure.js';

const AGAIN_AFTER_MS = 5_000;

/** Undefined if the ledger has no answer for this row: it was lost, or there never was one. */
export async function readStoredAnswer(
  deps: Pick<LedgerDeps, 'ledger'>,
  account: string,
  intentId: string,
): Promise<unknown> {
  return (await readDatedAnswer(deps, account, intentId))?.json;
}

/** With the time of its call: a reused answer says nothing about the days since then. */
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

/** Parses as strictly as when the answer was judged (long numbers stay text); undefined if it is not valid JSON. */
export function parseStored(bytes: Buffer): unknown {
  const parsed = parseStrictJson(bytes);
  return parsed.ok ? parsed.value : undefined;
}
