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

/** Those of the flows that wait in another namespace than this one; rows from before this was kept do not say. */
export async function waitersElsewhere(
  db: Database,
  { workflowIds, namespace }: { readonly workflowIds: readonly string[]; readonly namespace: string },
): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('tramita.waiter')
    .select('workflow_id')
    .distinct()
    .where('workflow_id', '=', sql<string>`any(${[...workflowIds]}::text[])`)
    .where('namespace', '<>', namespace)
    .execute();
  return rows.map(({ workflow_id }) => workflow_id);
}

/** Flows wait in this namespace from now on. */
export async function noteNamespace(db: Database, namespace: string, nowMs: number): Promise<void> {
  await sql`
    insert into tramita.flow_namespace (namespace, seen_at) values (${namespace}, ${instant(nowMs)})
    on conflict (namespace) do update set seen_at = excluded.seen_at`.execute(db);
}

export async function dropExpiredWaiters(db: Database, nowMs: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('tramita.waiter')
    .where('expires_at', '<=', instant(nowMs))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
