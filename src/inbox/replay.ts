/**
 * Matches stored events with the flows that wait now. A replayed event only wakes flows: it is recorded already, and a wake can
 * only shorten a wait. Each flow gets one wake, for its newest event. An event whose keys were dropped wakes no flow.
 */
import { sql, type RawBuilder } from 'kysely';
import { instant } from '../store/index.js';
import { answersTo } from './decide-wakes.js';
import type { InboxDependencies } from './dependencies.js';
import type { Wake } from './event.js';
import { matches, type EventFilter } from './list-events.js';

export interface ReplaySelection {
  readonly filter: EventFilter;
  /** Only events after this cursor. */
  readonly after?: number;
}

/** A flow that a stored event would wake. */
export interface ReplayedWake extends Wake {
  readonly eventId: string;
  readonly event: string;
  readonly seq: number;
}

export interface Replay {
  /** Number of selected events. */
  readonly events: number;
  /** Selected events without a key: they name nothing, or their keys were dropped with the body. */
  readonly withoutKeys: number;
  /** One for each waiting flow, for the newest event about it. */
  readonly wakes: readonly ReplayedWake[];
}

export interface Replays {
  /** Finds the flows that wait now and that the selected events would wake. Writes nothing. */
  findReplay(selection: ReplaySelection): Promise<Replay>;
  /** Records those wakes as owed, also those that were delivered before. The caller signals them; the relay delivers the rest. */
  oweReplay(selection: ReplaySelection): Promise<readonly ReplayedWake[]>;
}

export function createReplays({ db, clock }: InboxDependencies): Replays {
  return {
    findReplay: async (selection) => {
      const { rows: counted } = await sql<Omit<Replay, 'wakes'>>`
        select count(*) as events, count(*) filter (where keys = '{}') as "withoutKeys"
        from tramita.event where ${isSelected(selection)}`.execute(db);
      const { rows: wakes } = await sql<ReplayedWake>`
        with ${matched(selection, clock())} select * from matched order by seq, "workflowId"`.execute(db);
      return { events: 0, withoutKeys: 0, ...counted[0], wakes };
    },
    oweReplay: async (selection) => {
      const nowMs = clock();
      const { rows } = await sql<ReplayedWake>`
        with ${matched(selection, nowMs)}, owed as (
          insert into tramita.event_wake (event_key, workflow_id, created_at)
          select "eventKey", "workflowId", ${instant(nowMs)} from matched
          on conflict (event_key, workflow_id) do update set created_at = excluded.created_at, woken_at = null, tried_at = null
        )
        select * from matched order by seq, "workflowId"`.execute(db);
      return rows.map((wake) => ({ ...wake, owedSinceMs: nowMs }));
    },
  };
}

function matched(selection: ReplaySelection, nowMs: number): RawBuilder<unknown> {
  return sql`matched as (
    select distinct on (workflow_id) workflow_id as "workflowId", event.account || '/' || event_key as "eventKey",
      event_id as "eventId", event.event, seq
    from tramita.event cross join lateral (
      select workflow_id from tramita.waiter
      where waiter.key = any (event.keys) and waiter.expires_at > ${instant(nowMs)}
        and ${sql.raw(answersTo('event.event'))}
    ) as waiting
    where ${isSelected(selection)}
    order by workflow_id, seq desc
  )`;
}

function isSelected({ filter, after }: ReplaySelection): RawBuilder<boolean> {
  return sql<boolean>`${matches(filter)} and seq > ${after ?? 0}`;
}
