/**
 * Writes a balance that was read for free as a ledger row, so that the account's floor uses it. While the floor stops charged
 * calls, no answer reports a newer balance, and a top-up would never be noticed.
 */
import { randomUUID } from 'node:crypto';
import type { Amount } from '../contract/index.js';
import { freeStep } from '../contract/values/index.js';
import { withLocks, type Database } from '../store/index.js';
import { nextFreeRow } from './free-row.js';
import { insertIntent } from './insert-intent.js';
import type { Intent } from './intent.js';
import { stepLock } from './lock-names.js';

/** The workflow is the one for which it was read. */
export interface BalanceToBook extends Pick<Intent, 'account' | 'workflowId' | 'firstRunId' | 'workflowType'> {
  readonly balance: Amount;
  /** Just before the service was asked: charges that are settled later may not be included. */
  readonly askedAtMs: number;
}

const OPERATION = 'getBalance';

export function bookBalance(db: Database, { balance, askedAtMs, ...reader }: BalanceToBook): Promise<void> {
  const key = { ...reader, operation: OPERATION };
  return withLocks(db, [stepLock({ ...key, step: freeStep(OPERATION), ordinal: 0 })], async (trx) => {
    const row = await nextFreeRow(trx, key, { intentId: randomUUID(), nowMs: askedAtMs });
    const intent: Intent = {
      ...row.intent,
      workflowType: reader.workflowType,
      state: 'done',
      balanceAfter: balance,
      reason: 'the balance was read, free: the last reported one left no room',
      evidence: null,
    };
    await insertIntent(trx, { row: { ...row, intent }, nowMs: askedAtMs });
    await trx
      .updateTable('tramita.intent')
      .set({ balance_at: new Date(askedAtMs) })
      .where('intent_id', '=', intent.intentId)
      .execute();
  });
}
