/** Calls of long ago, which the archive and retention may take. */
import { randomUUID } from 'node:crypto';
import type { OpenIntent } from '../../src/ledger/index.js';
import type { Database } from '../../src/store/index.js';
import { amount, intentOf, jsonBody, makeLedger, refreshRequest, setClock } from './support.js';

export const DAY_MS = 86_400_000;
export const LONG_AGO_MS = Date.parse('2024-02-10T15:00:00Z');
export const NOW_MS = LONG_AGO_MS + 500 * DAY_MS;
export const BEFORE_MS = NOW_MS - 400 * DAY_MS;

/** A new account, whose clock goes on by a minute before each call that `buy` makes. */
export function oldCalls(db: Database) {
  const account = `a-${randomUUID().slice(0, 8)}`;
  const clock = setClock(LONG_AGO_MS);
  const { ledger, inbox } = makeLedger(db, { clock });
  return {
    account,
    clock,
    ledger,
    inbox,
    request: (changes: Partial<OpenIntent> = {}): OpenIntent => refreshRequest({ account, ...changes }),
    buy: async (
      step: OpenIntent,
      { charged = 1_000, body }: { readonly charged?: number; readonly body?: unknown } = {},
    ): Promise<string> => {
      clock.nowMs += 60_000;
      const { intentId } = intentOf(await ledger.openIntent(step));
      clock.nowMs += 1_000;
      const balanceAfter = amount(50_000);
      const facts = { httpStatus: 200, charged: amount(charged), balanceAfter, body: jsonBody(body ?? { intentId }) };
      await ledger.settle(intentId, { state: 'done', ...facts });
      return intentId;
    },
  };
}
