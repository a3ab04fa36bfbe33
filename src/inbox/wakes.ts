/**
 * Wakes that are still owed (a transactional outbox). A wake is written with its cause and marked after its signal, so a crash in between loses
 * none; the relay takes the unmarked ones. Signals are hints: one too many does no harm.
 */
import { sql } from 'kysely';
import { instant, withOpening, type Database } from '../store/index.js';
import type { InboxDependencies } from './dependencies.js';
import type { Wake } from './event.js';

/** The connection waits this long for the signals of one batch before the database takes the transaction back. */
const SIGNAL_WINDOW_MS = 60_000;

export interface OwedWakes {
  /** Notes that these flows were signalled (or are gone). */
  markWoken(wakes: readonly Wake[]): Promise<void>;
  /**
   * Hands wakes that are older than `olderThanMs` and not marked to `signal`, in a transaction that keeps other bridges
   * away from them, and marks those that it returns. Returns how many were marked. A crash in between only repeats
   * signals. `signal` must return within a minute.
   */
  takeUnwoken(
    options: { readonly limit: number; readonly olderThanMs: number },
    signal: (wakes: readonly Wake[]) => Promise<readonly Wake[]>,
  ): Promise<number>;
}

export function createOwedWakes({ db, clock }: InboxDependencies): OwedWakes {
  return {
    markWoken: (wakes) => markWoken(db, wakes, clock()),
    takeUnwoken: ({ limit, olderThanMs }, signal) => {
      const nowMs = clock();
      const patience = `set local idle_in_transaction_session_timeout = ${SIGNAL_WINDOW_MS}`;
      return withOpening(db, [patience], async (trx) => {
        const wakes: Wake[] = await trx
          .selectFrom('tramita.event_wake')
          .select(['event_key as eventKey', 'workflow_id as workflowId', 'created_at as owedSinceMs'])
          .where('woken_at', 'is', null)
          .where('created_at', '<=', instant(nowMs - olderThanMs))
          .orderBy('created_at')
          .limit(limit)
          .forUpdate()
          .skipLocked()
          .execute();
        if (wakes.length === 0) return 0;
        const signalled = await signal(wakes);
        await markWoken(trx, signalled, nowMs);
        return signalled.length;
      });
    },
  };
}

async function markWoken(db: Database, wakes: readonly Wake[], nowMs: number): Promise<void> {
  if (wakes.length === 0) return;
  await sql`
    update tramita.event_wake set woken_at = ${instant(nowMs)}
    from unnest(${wakes.map((wake) => wake.eventKey)}::text[], ${wakes.map((wake) => wake.workflowId)}::text[])
      as woken (event_key, workflow_id)
    where event_wake.event_key = woken.event_key and event_wake.workflow_id = woken.workflow_id
      and event_wake.woken_at is null`.execute(db);
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
