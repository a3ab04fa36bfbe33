/**
 * Statements about waiters and events that the ledger puts into its own: it inserts waiters with the intent, and looks
 * for events that came before any flow waited, in the same round trip. Meant for `with` clauses and conditions.
 */
import { CLOCK_MARGIN_MS, WAITER_LIFE_MS } from '../contract/values/index.js';
import { sql, type RawBuilder } from 'kysely';
import { instant } from '../store/index.js';
import { answersToAny } from './decide-wakes.js';

/** Inserts one waiter per key, where `when` is true; one that is there already lives on. */
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
 * True where an event that answers to one of `keys` was recorded since shortly before `since`. Both are SQL expressions. It counts:
 * looking for the first one, the planner would read the table until it is met.
 */
export function eventExists(keys: RawBuilder<unknown>, since: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`((
    select count(*) from tramita.event
    where ${answersToAny(keys)} and event.received_at >= ${since} - ${CLOCK_MARGIN_MS} * interval '1 millisecond') > 0)`;
}
