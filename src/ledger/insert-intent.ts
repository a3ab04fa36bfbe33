/** Inserts a row together with its waiters, and tells whether an event about it is in the inbox already: one statement. */
import { sql } from 'kysely';
import { eventExists, insertWaiters, intentKey } from '../inbox/index.js';
import { clause, instant, type Database } from '../store/index.js';
import { buildRow, type KeptIntent } from './intent-row.js';
import { isFinal } from './states.js';

export interface Insertion {
  readonly row: KeptIntent;
  readonly nowMs: number;
  /** Since when events count: the opening of the original for a row that joins one. */
  readonly eventsSinceMs: number;
}

export async function insertIntent(trx: Database, { row, nowMs, eventsSinceMs }: Insertion): Promise<boolean> {
  const { intent, waiterKeys } = row;
  // A row that is sent is found by `intent:<its id>` too: settlements by others wake it.
  const keys = isFinal(intent.state) ? [] : [...waiterKeys, intentKey(intent.intentId)];
  const { event_seen } = await trx
    .with('waiting', () =>
      clause(insertWaiters({ workflowId: intent.workflowId, intentId: intent.intentId, keys, nowMs })),
    )
    .insertInto('tramita.intent')
    .values(buildRow(row))
    .returning(eventExists(sql`${[...waiterKeys]}::text[]`, instant(eventsSinceMs)).as('event_seen'))
    .executeTakeFirstOrThrow();
  return event_seen;
}
