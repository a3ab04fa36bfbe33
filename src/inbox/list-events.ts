/**
 * Reads events behind a cursor. Sequence numbers are drawn before their transaction commits, so a plain `seq > cursor` could
 * step over one that commits late; the database tells up to where nothing can be missing any more (migration 0005), and its
 * lock is given back before a single row is read, so that a long page holds up nobody who records.
 */
import { sql } from 'kysely';
import { instant, type Database } from '../store/index.js';
import type { EventFilter, EventPage, FeedRequest, InboxEvent } from './types.js';

/** Lock that recorders share; its number stands in migration 0005. */
export const EVENT_ORDER = 'order of events';

const MAX_LIMIT = 1_000;

export async function readFeed(db: Database, request: FeedRequest): Promise<EventPage> {
  const { filter = {}, bodies = true, newest = false } = request;
  const after = request.after ?? 0;
  const limit = Math.min(request.limit, MAX_LIMIT);
  const horizon = await readHorizon(db);
  const rows = await db
    .selectFrom('tramita.event')
    .select(['seq', 'account', 'event_id', 'event', 'body_sha256', 'conflict', 'keys', 'created_at', 'received_at'])
    .select(sql<boolean>`body is null`.as('dropped'))
    .select(bodies ? 'body' : sql<null>`null`.as('body'))
    .where('seq', '>', after)
    .where('seq', '<=', horizon)
    .where(matches(filter))
    .orderBy('seq', newest ? 'desc' : 'asc')
    .limit(limit)
    .execute();
  const events = rows.map((row): InboxEvent => ({
    seq: row.seq,
    account: row.account,
    eventId: row.event_id,
    event: row.event,
    bodySha256: row.body_sha256,
    body: row.body,
    bodyDropped: row.dropped,
    conflict: row.conflict,
    keys: row.keys,
    createdAt: row.created_at,
    receivedAtMs: row.received_at,
  }));
  if (newest) return { events: events.reverse(), cursor: Math.max(after, horizon), more: false };
  const more = events.length === limit;
  // What does not match lies behind the cursor too, and is not looked through again.
  return { events, cursor: more ? (events.at(-1)?.seq ?? after) : Math.max(after, horizon), more };
}

/** The highest number at and below which every event that will ever be seen can be seen now. */
async function readHorizon(db: Database): Promise<number> {
  const { rows } = await sql<{ horizon: number }>`select tramita.event_horizon() as horizon`.execute(db);
  return rows[0]?.horizon ?? 0;
}

/** Condition on `tramita.event`: all that is given must hold. Pure. */
export function matches(filter: EventFilter): ReturnType<typeof sql<boolean>> {
  const { account, events, conflicts, fromMs, beforeMs, ids } = filter;
  const conditions = [
    sql<boolean>`true`,
    ...(account === undefined ? [] : [sql<boolean>`event.account = ${account}`]),
    ...(events === undefined ? [] : [sql<boolean>`event.event = any (${[...events]}::text[])`]),
    ...(conflicts === true ? [sql<boolean>`event.conflict`] : []),
    ...(fromMs === undefined ? [] : [sql<boolean>`event.received_at >= ${instant(fromMs)}`]),
    ...(beforeMs === undefined ? [] : [sql<boolean>`event.received_at < ${instant(beforeMs)}`]),
    ...(ids === undefined ? [] : [sql<boolean>`event.event_id = any (${[...ids]}::text[])`]),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}
