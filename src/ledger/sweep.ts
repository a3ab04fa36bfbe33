/**
 * Finds open rows whose worker is gone (terminated run, dead process) and makes them `unknown`. Safe with several
 * sweepers: each row is looked at again under its locks.
 */
import { instant, type Database, type Ending } from '../store/index.js';
import { changeIntent } from './change-intent.js';
import type { SlowOperations } from './ledger.js';
import type { Moved } from './settlement.js';
import { becomeUnknown } from './states.js';
import { buildChange, type Written } from './write-change.js';

export interface SweepOrder {
  readonly olderThanMs: number;
  readonly slow: SlowOperations | undefined;
  readonly nowMs: number;
}

/** Rows of one sweep; what is left is found by the next. */
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
  for (const { intent_id } of stale) {
    const found = await sweepOne(db, intent_id, nowMs);
    if (found !== undefined) swept.push(found);
  }
  return swept;
}

function sweepOne(db: Database, intentId: string, nowMs: number): Promise<Moved | undefined> {
  return changeIntent(db, { intentId, extraNames: [] }, ({ root }): Ending<Moved | undefined> => {
    if (root.intent.state !== 'open') return { write: [], then: () => undefined };
    const after = becomeUnknown(root.intent, 'no answer was settled in time');
    return {
      write: [buildChange({ before: root, after, nowMs })],
      then: ([written]) => ({ intent: after, wake: (written as Written).wake }),
    };
  });
}
