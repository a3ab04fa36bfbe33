/**
 * Wakes that are still owed (a transactional outbox). A wake is written in the transaction of its cause and marked after its
 * signal, so a crash in between loses none; the relay takes the unmarked ones. Signals are hints: a duplicate does no harm.
 */
import { sql, type RawBuilder } from 'kysely';
import { present } from '../contract/values/index.js';
import { instant, withOpening, type Database } from '../store/index.js';
import type { InboxDependencies } from './dependencies.js';
import type { Wake } from './event.js';

/** If the signals of a batch take longer, the database ends the connection and rolls the transaction back. */
const SIGNAL_WINDOW_MS = 60_000;

export interface OwedWakes {
  /** The same wakes, each with since when it is owed. To be read before their signals, for {@link OwedWakes.markWoken}. */
  seeOwed<W extends Wake>(wakes: readonly W[]): Promise<readonly W[]>;
  /**
   * Marks wakes whose flows were signalled or have ended. One that is owed since another time than it says, or does not say
   * since when, stays owed: its cause may be younger than the signal.
   */
  markWoken(wakes: readonly Wake[]): Promise<void>;
  /**
   * Passes unmarked wakes older than `olderThanMs` to `signal`, in a transaction that locks them against other processes, and
   * marks those that `signal` returns. The others are tried again after those that were not tried yet. Returns how many were
   * marked. A crash in between only repeats signals. `signal` must return within a minute.
   */
  takeUnwoken(
    options: { readonly limit: number; readonly olderThanMs: number },
    signal: (wakes: readonly Wake[]) => Promise<readonly Wake[]>,
  ): Promise<number>;
}

export function createOwedWakes({ db, clock }: InboxDependencies): OwedWakes {
  return {
    seeOwed: async (wakes) => {
      const { rows } = await sql<Required<Pick<Wake, 'eventKey' | 'workflowId' | 'owedSinceMs'>>>`
        select event_wake.event_key as "eventKey", event_wake.workflow_id as "workflowId", created_at as "owedSinceMs"
        from ${meant(wakes)} join tramita.event_wake using (event_key, workflow_id) where woken_at is null`.execute(db);
      const since = new Map(rows.map((row) => [nameOf(row), row.owedSinceMs]));
      return wakes.map((wake) => ({ ...wake, ...present({ owedSinceMs: since.get(nameOf(wake)) }) }));
    },
    markWoken: (wakes) => mark(db, 'woken_at', { wakes, nowMs: clock() }),
    takeUnwoken: ({ limit, olderThanMs }, signal) => {
      const nowMs = clock();
      const timeout = `set local idle_in_transaction_session_timeout = ${SIGNAL_WINDOW_MS}`;
      return withOpening(db, [timeout], async (trx) => {
        const wakes: Wake[] = await trx
          .selectFrom('tramita.event_wake')
          .select([
            'event_key as eventKey',
            'workflow_id as workflowId',
            'created_at as owedSinceMs',
            EVENT_OF.as('event'),
          ])
          .where('woken_at', 'is', null)
          .where('created_at', '<=', instant(nowMs - olderThanMs))
          .orderBy(sql`tried_at nulls first, created_at`)
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .execute();
        if (wakes.length === 0) return 0;
        const signalled = await signal(wakes);
        await mark(trx, 'woken_at', { wakes: signalled, nowMs });
        if (signalled.length < wakes.length) await mark(trx, 'tried_at', { wakes, nowMs });
        return signalled.length;
      });
    },
  };
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

function nameOf({ eventKey, workflowId }: Wake): string {
  return JSON.stringify([eventKey, workflowId]);
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
