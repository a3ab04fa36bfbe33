/**
 * Finds open rows whose worker is gone (terminated run, dead process) and makes them `unknown`. Safe with several
 * sweepers: each row is looked at again under its locks.
 */
import { instant, type Database } from '../store/index.js';
import { changeIntent } from './change-intent.js';
import { becomeUnknown } from './close-step.js';
import type { Intent } from './types.js';
import { writeChange } from './write-change.js';

export interface Swept {
  readonly intent: Intent;
  readonly wake: readonly string[];
}

export interface SweepOrder {
  readonly olderThanMs: number;
  /** Operations whose calls live longer: files. */
  readonly slow?: { readonly operations: readonly string[]; readonly olderThanMs: number };
}

/** Rows of one sweep; what is left is found by the next. */
const BATCH = 100;

export async function sweep(
  db: Database,
  { olderThanMs, slow, nowMs }: SweepOrder & { readonly nowMs: number },
): Promise<readonly Swept[]> {
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
  const swept: Swept[] = [];
  for (const { intent_id } of stale) {
    const found = await sweepOne(db, intent_id, nowMs);
    if (found !== undefined) swept.push(found);
  }
  return swept;
}

function sweepOne(db: Database, intentId: string, nowMs: number): Promise<Swept | undefined> {
  return changeIntent(db, { intentId, extraNames: [] }, async (trx, { root }) => {
    if (root.intent.state !== 'open') return undefined;
    const after = becomeUnknown(root.intent, 'no answer was settled in time');
    const { wake } = await writeChange(trx, { before: root, after, balanceTold: false, nowMs });
    return { intent: after, wake };
  });
}
