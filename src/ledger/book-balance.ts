/**
 * A balance that was read for free, as a row of its own: the floor of the account goes by it from then on. Charged calls that the
 * floor stops tell no newer one, so a top-up would never be known.
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
export interface BalanceTold extends Pick<Intent, 'account' | 'workflowId' | 'firstRunId' | 'workflowType'> {
  readonly balance: Amount;
  /** Before the service was asked: what is settled later may not be in it. */
  readonly askedAtMs: number;
}

const OPERATION = 'getBalance';

export function bookBalance(db: Database, { balance, askedAtMs, ...reader }: BalanceTold): Promise<void> {
  const key = { ...reader, operation: OPERATION };
  return withLocks(db, [stepLock({ ...key, step: freeStep(OPERATION), ordinal: 0 })], async (trx) => {
    const row = await nextFreeRow(trx, key, { intentId: randomUUID(), nowMs: askedAtMs });
    const intent: Intent = {
      ...row.intent,
      workflowType: reader.workflowType,
      state: 'done',
      balanceAfter: balance,
      reason: 'the balance was read, free: the last one that was told left no room',
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
