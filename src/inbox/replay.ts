/**
 * Stored events against the flows that wait now. A replayed event wakes and does nothing else: it is recorded already, and a
 * wake can only shorten a wait. One wake for each flow, of the newest event about it. An event whose keys were dropped with
 * its body wakes no flow.
 */
import { sql, type RawBuilder } from 'kysely';
import { instant } from '../store/index.js';
import { answersTo } from './decide-wakes.js';
import type { InboxDependencies } from './dependencies.js';
import type { Wake } from './event.js';
import { matches, type EventFilter } from './list-events.js';

export interface ReplaySelection {
  readonly filter: EventFilter;
  /** Only events behind this cursor. */
  readonly after?: number;
}

/** A flow that a stored event would wake. */
export interface ReplayedWake extends Wake {
  readonly eventId: string;
  readonly event: string;
  readonly seq: number;
}

export interface Replay {
  /** Events that were meant. */
  readonly events: number;
  /** Those of them without any key: they name nothing, or what they named was dropped with the body. */
  readonly withoutKeys: number;
  /** One for each flow that waits, of the newest event about it. */
  readonly wakes: readonly ReplayedWake[];
}

export interface Replays {
  /** Which flows of now stored events would wake. Writes nothing. */
  findReplay(selection: ReplaySelection): Promise<Replay>;
  /** Owes those wakes again, also those that were delivered once; the caller signals them, and the relay does the rest. */
  oweReplay(selection: ReplaySelection): Promise<readonly ReplayedWake[]>;
}

export function createReplays({ db, clock }: InboxDependencies): Replays {
  return {
    findReplay: async (selection) => {
      const { rows: counted } = await sql<Omit<Replay, 'wakes'>>`
        select count(*) as events, count(*) filter (where keys = '{}') as "withoutKeys"
        from tramita.event where ${chosen(selection)}`.execute(db);
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
          on conflict (event_key, workflow_id) do update set created_at = excluded.created_at, woken_at = null
        )
        select * from matched order by seq, "workflowId"`.execute(db);
      return rows;
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
    where ${chosen(selection)}
    order by workflow_id, seq desc
  )`;
}

function chosen({ filter, after }: ReplaySelection): RawBuilder<boolean> {
  return sql<boolean>`${matches(filter)} and seq > ${after ?? 0}`;
}
