/**
 * Finds open rows whose worker is gone (terminated run, dead process) and makes them `unknown`. Safe with several
 * sweepers: each row is looked at again under its locks.
 */
import { instant, type Database } from '../store/index.js';
import type { SlowOperations } from './ledger.js';
import { moveIntent } from './move-intent.js';
import type { Moved } from './settlement.js';
import { becomeUnknown } from './states.js';

export interface SweepOrder {
  readonly olderThanMs: number;
  readonly slow: SlowOperations | undefined;
  readonly nowMs: number;
}

/** Rows of one sweep; the next sweep finds the rest. */
const BATCH = 100;

export async function sweep(db: Database, { olderThanMs, slow, nowMs }: SweepOrder): Promise<readonly Moved[]> {
  const stale = await db
    .selectFrom('tramita.intent')
    .select('intent_id')
    .where('state', '=', 'open')
    .where('opened_at', '<=', instant(nowMs - olderThanMs))
    .where((where) =>
      where.or([
        where('operation', 'not in', ['', ...(slow?.operations ?? [])]),
        where('opened_at', '<=', instant(nowMs - (slow?.olderThanMs ?? 0))),
      ]),
    )
    .orderBy('opened_at')
    .limit(BATCH)
    .execute();
  const swept: Moved[] = [];
  for (const { intent_id: intentId } of stale) {
    // Set by the callback.
    let isOpen = false as boolean;
    const moved = await moveIntent(db, { intentId, nowMs }, (row) => {
      isOpen = row.state === 'open';
      return isOpen ? becomeUnknown(row, 'no answer was settled in time') : undefined;
    });
    if (isOpen) swept.push(moved);
  }
  return swept;
}
