/**
 * Stored events against the flows that wait now. A replayed event wakes and does nothing else: it is recorded already, and a
 * wake can only shorten a wait. One wake for each flow, of the newest event about it. An event whose keys were dropped with
 * its body finds nobody.
 */
import { sql, type RawBuilder } from 'kysely';
import { instant, type Database } from '../store/index.js';
import { answersTo } from './decide-wakes.js';
import { matches } from './list-events.js';
import type { EventFilter, Replay, ReplayedWake } from './types.js';

export interface ReplaySelection {
  readonly filter: EventFilter;
  /** Only events behind this cursor. */
  readonly after?: number;
}

/** What {@link oweReplay} would do; writes nothing. */
export async function findReplay(db: Database, selection: ReplaySelection, nowMs: number): Promise<Replay> {
  const { rows: counted } = await sql<{ events: number; without_keys: number }>`
    select count(*) as events, count(*) filter (where keys = '{}') as without_keys
    from tramita.event where ${chosen(selection)}`.execute(db);
  const { rows: wakes } = await sql<ReplayedWake>`
    with ${matched(selection, nowMs)} select * from matched order by seq, "workflowId"`.execute(db);
  const { events = 0, without_keys: withoutKeys = 0 } = counted[0] ?? {};
  return { events, withoutKeys, wakes };
}

/** Owes the wakes again, also those that were delivered once; whoever calls signals them, and what is left the relay does. */
export async function oweReplay(
  db: Database,
  selection: ReplaySelection,
  nowMs: number,
): Promise<readonly ReplayedWake[]> {
  const { rows } = await sql<ReplayedWake>`
    with ${matched(selection, nowMs)}, owed as (
      insert into tramita.event_wake (event_key, workflow_id, created_at)
      select "eventKey", "workflowId", ${instant(nowMs)} from matched
      on conflict (event_key, workflow_id) do update set created_at = excluded.created_at, woken_at = null
    )
    select * from matched order by seq, "workflowId"`.execute(db);
  return rows;
}

function matched(selection: ReplaySelection, nowMs: number): RawBuilder<unknown> {
  return sql`matched as (
    select distinct on (workflow_id) workflow_id as "workflowId", event.account || '/' || event_key as "eventKey",
      event_id as "eventId", event.event, seq
    from tramita.event cross join lateral (
      select workflow_id from tramita.waiter
      where waiter.key = any (event.keys) and waiter.expires_at > ${instant(nowMs)}
        and ${sql.raw(answersTo('event.event', 'waiter.key'))}
    ) as waiting
    where ${chosen(selection)}
    order by workflow_id, seq desc
  )`;
}

function chosen({ filter, after }: ReplaySelection): RawBuilder<boolean> {
  return sql<boolean>`${matches(filter)} and seq > ${after ?? 0}`;
}
