/**
 * Reads events after a cursor. A sequence number is drawn before its transaction commits, so a plain `seq > cursor` could skip an
 * event that commits late. The database therefore reports a horizon up to which no event can still appear (migration 0005). Its
 * lock is released before any row is read, so a long page blocks no recorder.
 */
import { sql, type RawBuilder } from 'kysely';
import { instant, type Database } from '../store/index.js';

/** Lock that recorders take in shared mode; migration 0005 contains its number. */
export const EVENT_ORDER = 'order of events';

const MAX_LIMIT = 1_000;

export interface InboxEvent {
  /** Cursor: pass the last one to get what came after it. */
  readonly seq: number;
  readonly account: string;
  readonly eventId: string;
  readonly event: string;
  readonly bodySha256: string;
  /** Holds personal data: for consumers in the same trust zone, never for a history or a log. Null: not requested, or dropped. */
  readonly body: Buffer | null;
  /** The body was older than bodies are kept. */
  readonly bodyDropped: boolean;
  readonly conflict: boolean;
  /** It names a case under secrecy of justice. */
  readonly sealed: boolean;
  /** Waiter keys of what it names; they may name a person. Empty once the body was dropped. */
  readonly keys: readonly string[];
  readonly createdAt: string | null;
  readonly receivedAtMs: number;
}

/** All given conditions must hold. */
export interface EventFilter {
  readonly account?: string;
  /** Names as sent; any of them. */
  readonly events?: readonly string[];
  /** Event ids as sent; any of them. */
  readonly ids?: readonly string[];
  /** True: only events whose id was known with another body. */
  readonly conflicts?: boolean;
  /** Received at or after this instant, epoch ms. */
  readonly fromMs?: number;
  /** Received before this instant, epoch ms. */
  readonly beforeMs?: number;
}

export interface FeedRequest {
  /** Cursor of the previous page; absent or 0: from the very first event. */
  readonly after?: number;
  /** Most events of a page, up to 1,000. */
  readonly limit: number;
  readonly filter?: EventFilter;
  /** False: no bodies. `unsealed`: only bodies of events that name no sealed case. Default: true. */
  readonly bodies?: boolean | 'unsealed';
  /** True: the newest events instead of the oldest, still sorted oldest first. Default: false. */
  readonly newest?: boolean;
}

export interface EventPage {
  /** Oldest first. */
  readonly events: readonly InboxEvent[];
  /** The next page starts after it, also past all that did not match. No event is added before it later. */
  readonly cursor: number;
  /** The page is full: there may be more right now. */
  readonly more: boolean;
}

/** Shows every recorded event exactly once. */
export interface EventFeed {
  /** Events after the cursor, oldest first. No event is ever added at or before a cursor that was given out. */
  listEvents(options: { readonly after?: number; readonly limit: number }): Promise<readonly InboxEvent[]>;
  /** The same with filters, and with a cursor that moves although nothing matches. */
  readFeed(request: FeedRequest): Promise<EventPage>;
}

export function createEventFeed(db: Database): EventFeed {
  return {
    listEvents: async (options) => (await readFeed(db, options)).events,
    readFeed: (request) => readFeed(db, request),
  };
}

/** Body of a row of `tramita.event`: its own column, or its row in the monthly table `event_bytes`. */
export const BODY = sql<Buffer | null>`coalesce(event.body, (
  select bytes from tramita.event_bytes as stored
  where stored.received_at = event.received_at and stored.seq = event.seq))`;

/** Known only from the event's keys: once they are dropped with the body, there is nothing left to seal. */
const SEALED = sql<boolean>`exists (
  select from unnest(event.keys) as key join tramita.sealed_case as sealed
    on sealed.account = event.account and sealed.cnj = substr(key, 5) where key like 'cnj:%')`;

async function readFeed(
  db: Database,
  { filter = {}, bodies = true, newest = false, after = 0, limit: requested }: FeedRequest,
): Promise<EventPage> {
  const limit = Math.min(requested, MAX_LIMIT);
  const horizon = await readHorizon(db);
  const events: InboxEvent[] = await db
    .selectFrom('tramita.event')
    .select(['seq', 'account', 'event_id as eventId', 'event', 'body_sha256 as bodySha256', 'conflict', 'keys'])
    .select(['created_at as createdAt', 'received_at as receivedAtMs', sql<boolean>`${BODY} is null`.as('bodyDropped')])
    .select(SEALED.as('sealed'))
    .select(bodyColumn(bodies).as('body'))
    .where('seq', '>', after)
    .where('seq', '<=', horizon)
    .where(matches(filter))
    .orderBy('seq', newest ? 'desc' : 'asc')
    .limit(limit)
    .execute();
  if (newest) return { events: events.reverse(), cursor: Math.max(after, horizon), more: false };
  const more = events.length === limit;
  // The cursor also passes events that did not match, so they are not searched again.
  return { events, cursor: more ? (events.at(-1)?.seq ?? after) : Math.max(after, horizon), more };
}

function bodyColumn(bodies: boolean | 'unsealed'): RawBuilder<Buffer | null> {
  if (bodies === 'unsealed') return sql`case when not ${SEALED} then ${BODY} end`;
  return bodies ? BODY : sql`null`;
}

/** The highest sequence number up to which every event is already visible: none can be added at or below it. */
async function readHorizon(db: Database): Promise<number> {
  const { rows } = await sql<{ horizon: number }>`select tramita.event_horizon() as horizon`.execute(db);
  return rows[0]?.horizon ?? 0;
}

/** SQL condition on `tramita.event`: every given part of the filter holds. Pure. */
export function matches(filter: EventFilter): ReturnType<typeof sql<boolean>> {
  const { account, events, conflicts, fromMs, beforeMs, ids } = filter;
  const conditions = [
    sql<boolean>`true`,
    ...(account === undefined ? [] : [sql<boolean>`event.account = ${account}`]),
    ...(events === undefined ? [] : [sql<boolean>`event.event = any (${[...events]}::text[])`]),
    ...(conflicts === true ? [sql<boolean>`event.conflict`] : []),
    ...(fromMs === undefined ? [] : [sql<boolean>`event.received_at >= ${instant(fromMs)}`]),
    ...(beforeMs === undefined ? [] : [sql<boolean>`event.received_at < ${instant(beforeMs)}`]),
    ...(ids === undefined ? [] : [sql<boolean>`event.seq = any (array(${withIds(ids)}))`]),
  ];
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** The events with these ids. Their key begins with the account, so each account is asked; the key of a conflict is not its id. */
function withIds(ids: readonly string[]): RawBuilder<unknown> {
  return sql`
    with recursive known (account) as (
      (select account from tramita.event order by account limit 1)
      union all
      select (select account from tramita.event where account > known.account order by account limit 1)
      from known where account is not null
    )
    select found.seq from known cross join unnest(${[...ids]}::text[]) as id cross join lateral (
      select seq from tramita.event where account = known.account and event_key = id and event_id = id
    ) as found
    union all select seq from tramita.event where conflict and event_id = any (${[...ids]}::text[])`;
}
