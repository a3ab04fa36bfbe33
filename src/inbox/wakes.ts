/**
 * Wakes that are still owed (a transactional outbox). A wake is written in the transaction of its cause and marked after its
 * signal, so a crash in between loses none; the relay takes the unmarked ones. Signals are hints: a duplicate does no harm.
 */
import { sql, type RawBuilder } from 'kysely';
import { instant, type Database } from '../store/index.js';
import type { InboxDependencies } from './dependencies.js';
import type { Wake } from './event.js';

/** For so long no other relay takes a wake that one has claimed: longer than the signals of a batch may take. */
const CLAIM_MS = 60_000;

export interface OwedWakes {
  /**
   * Marks wakes whose flows were signalled or have ended. One that is owed since another time than it says, or does not say
   * since when, stays owed: its cause may be younger than the signal.
   */
  markWoken(wakes: readonly Wake[]): Promise<void>;
  /**
   * Claims unmarked wakes older than `olderThanMs` for a minute, passes them to `signal`, and marks those that it returns. No
   * lock is held meanwhile. The others are tried again after those that were not tried yet. Returns how many were marked. A
   * crash in between, or a `signal` that takes longer than the minute, only repeats signals.
   */
  takeUnwoken(
    options: { readonly limit: number; readonly olderThanMs: number },
    signal: (wakes: readonly Wake[]) => Promise<readonly Wake[]>,
  ): Promise<number>;
}

export function createOwedWakes({ db, clock }: InboxDependencies): OwedWakes {
  const markWoken = (wakes: readonly Wake[]): Promise<void> => mark(db, 'woken_at', { wakes, nowMs: clock() });
  return {
    markWoken,
    takeUnwoken: async (options, signal) => {
      const wakes = await claim(db, { ...options, nowMs: clock() });
      if (wakes.length === 0) return 0;
      const signalled = await signal(wakes);
      await markWoken(signalled);
      if (signalled.length < wakes.length) await mark(db, 'tried_at', { wakes, nowMs: clock() });
      return signalled.length;
    },
  };
}

/** A claimed wake counts as tried when its claim ends. */
async function claim(
  db: Database,
  { limit, olderThanMs, nowMs }: { readonly limit: number; readonly olderThanMs: number; readonly nowMs: number },
): Promise<readonly Wake[]> {
  const { rows } = await sql<Wake>`
    update tramita.event_wake set tried_at = ${instant(nowMs + CLAIM_MS)}
    where ctid = any (array(
      select ctid from tramita.event_wake
      where woken_at is null and created_at <= ${instant(nowMs - olderThanMs)}
        and (tried_at is null or tried_at <= ${instant(nowMs)})
      order by tried_at nulls first, created_at limit ${limit} for update skip locked))
    returning event_key as "eventKey", workflow_id as "workflowId", created_at as "owedSinceMs", ${EVENT_OF} as event`.execute(
    db,
  );
  return rows;
}

/** Null for the wake of an intent: it has no event, and its key has no account. */
const EVENT_OF = sql<string | null>`(
  select event from tramita.event
  where account = split_part(event_wake.event_key, '/', 1)
    and event.event_key = substr(event_wake.event_key, strpos(event_wake.event_key, '/') + 1))`;

/** Marks those of these wakes that are owed since the time that they say. */
async function mark(
  db: Database,
  column: 'woken_at' | 'tried_at',
  { wakes, nowMs }: { readonly wakes: readonly Wake[]; readonly nowMs: number },
): Promise<void> {
  if (wakes.length === 0) return;
  await sql`
    update tramita.event_wake set ${sql.ref(column)} = ${instant(nowMs)}
    from ${meant(wakes)}
    where event_wake.event_key = meant.event_key and event_wake.workflow_id = meant.workflow_id
      and date_trunc('milliseconds', event_wake.created_at) = meant.owed_since
      and event_wake.woken_at is null`.execute(db);
}

function meant(wakes: readonly Wake[]): RawBuilder<unknown> {
  const since = wakes.map(({ owedSinceMs }) => (owedSinceMs === undefined ? null : new Date(owedSinceMs)));
  return sql`unnest(${wakes.map((wake) => wake.eventKey)}::text[], ${wakes.map((wake) => wake.workflowId)}::text[],
    ${since}::timestamptz[]) as meant (event_key, workflow_id, owed_since)`;
}

/** Wakes that are still owed, and how long the oldest has waited. */
export async function countOwedWakes(
  db: Database,
  nowMs: number,
): Promise<{ readonly count: number; readonly oldestMs: number }> {
  const { count, oldest } = await db
    .selectFrom('tramita.event_wake')
    .select([sql<number>`count(*)::integer`.as('count'), sql<number | null>`min(created_at)`.as('oldest')])
    .where('woken_at', 'is', null)
    .executeTakeFirstOrThrow();
  return { count, oldestMs: oldest === null ? 0 : Math.max(0, nowMs - oldest) };
}
