/** Waiters die with their flow, or when their time is over; they hold keys that may name a person. */
import { sql } from 'kysely';
import { instant, type Database } from '../store/index.js';
import { EVENT_MARGIN_MS, WAITER_LIFE_MS } from './waiter-statements.js';

/**
 * The flow was gone at `goneAtMs`: nobody is left to signal, so its open wakes count as woken. What is younger may belong to
 * a run that was started under the same id since, and stays; clocks of two machines differ.
 */
export async function dropWaiters(
  db: Database,
  { workflowId, goneAtMs, nowMs }: { readonly workflowId: string; readonly goneAtMs: number; readonly nowMs: number },
): Promise<void> {
  const olderThanMs = goneAtMs - EVENT_MARGIN_MS;
  await sql`
    with dropped as (
      delete from tramita.waiter
      where workflow_id = ${workflowId} and expires_at < ${instant(olderThanMs + WAITER_LIFE_MS)}
    )
    update tramita.event_wake set woken_at = ${instant(nowMs)}
    where workflow_id = ${workflowId} and woken_at is null and created_at < ${instant(olderThanMs)}`.execute(db);
}

export async function dropExpiredWaiters(db: Database, nowMs: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('tramita.waiter')
    .where('expires_at', '<=', instant(nowMs))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
