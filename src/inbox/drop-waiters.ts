/** Waiters die with their flow, or when their time is over; they hold keys that may name a person. */
import { sql } from 'kysely';
import { instant, type Database } from '../store/index.js';

/** The flow is gone: nobody is left to signal, so its open wakes count as woken. */
export async function dropWaiters(db: Database, workflowId: string, nowMs: number): Promise<void> {
  await sql`
    with dropped as (delete from tramita.waiter where workflow_id = ${workflowId})
    update tramita.event_wake set woken_at = ${instant(nowMs)}
    where workflow_id = ${workflowId} and woken_at is null`.execute(db);
}

export async function dropExpiredWaiters(db: Database, nowMs: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('tramita.waiter')
    .where('expires_at', '<=', instant(nowMs))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
