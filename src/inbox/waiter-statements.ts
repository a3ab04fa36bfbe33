/**
 * SQL about waiters and events for the ledger's own statements, as `with` clauses and conditions. In one round trip the ledger
 * inserts waiters with the intent and looks for events that arrived before any flow waited.
 */
import { CLOCK_MARGIN_MS, WAITER_LIFE_MS } from '../contract/values/index.js';
import { sql, type RawBuilder } from 'kysely';
import { instant } from '../store/index.js';
import { answersToAny } from './decide-wakes.js';

/** Inserts one waiter per key if `when` is true. A waiter that exists gets a new expiry time. */
export function insertWaiters(rows: {
  readonly workflowId: string;
  readonly intentId: string;
  readonly keys: readonly string[];
  readonly nowMs: number;
  readonly when?: RawBuilder<unknown>;
}): RawBuilder<Record<string, unknown>> {
  return sql`
    insert into tramita.waiter (workflow_id, key, intent_id, expires_at)
    select ${rows.workflowId}, key, ${rows.intentId}::uuid, ${instant(rows.nowMs + WAITER_LIFE_MS)}
    from unnest(${[...rows.keys]}::text[]) as key where ${rows.when ?? sql`true`}
    on conflict (workflow_id, key, intent_id) do update set expires_at = excluded.expires_at`;
}

/**
 * True if an event that one of `keys` finds was recorded since shortly before `since`. Both are SQL expressions. It counts
 * instead of using `exists`, for which the planner would scan the table.
 */
export function eventExists(keys: RawBuilder<unknown>, since: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`((
    select count(*) from tramita.event
    where ${answersToAny(keys)} and event.received_at >= ${since} - ${CLOCK_MARGIN_MS} * interval '1 millisecond') > 0)`;
}
