/**
 * Records events, each once, and finds the flows that wait for them, in one transaction that locks every key of the events. A
 * flow that begins to wait takes the same locks, so one of the two always sees the other.
 *
 * The sender is waiting, so locks, rows and commit are sent in one message. Each statement sees what was committed before it
 * began, so the last one sees everything that the locks waited for. Values are parameters: SQL text, which the server may log,
 * contains nothing that a sender wrote.
 * Several events share a transaction because its cost hardly grows with their number; `create-recorder.ts` decides which.
 */
import { inOneMessage, lockNumber, lockNumbers, type Database } from '../store/index.js';
import { answersTo } from './decide-wakes.js';
import type { IncomingEvent, Recorded } from './event.js';
import { EVENT_ORDER } from './list-events.js';

/** An event and the epoch ms at which it came. */
export interface Arrival {
  readonly event: IncomingEvent;
  readonly nowMs: number;
}

interface Row {
  readonly event_key: string | null;
  readonly conflict: boolean | null;
  readonly workflow_ids: readonly string[];
}

/** Arrivals of one identity must not be recorded together: neither would see the other. */
export function identityOf(event: IncomingEvent): string {
  return `event:${event.account}/${event.eventId}`;
}

/**
 * Returns results in the order of `arrivals`, whose identities must differ. Records all or none. Throws if the database is away,
 * or if a lock is not available within `lockWithinMs` (absent: within the statement timeout).
 */
export async function recordEvents(
  db: Database,
  arrivals: readonly Arrival[],
  { lockWithinMs }: { readonly lockWithinMs?: number } = {},
): Promise<readonly Recorded[]> {
  const names = arrivals.flatMap(({ event }) => [identityOf(event), ...event.keys]);
  const rows = await inOneMessage<Row>(db, [
    { text: settingsOf(lockWithinMs) },
    // Locks are taken one after the other, in the order that is used everywhere. The last one is shared: recorders do not wait
    // for each other there, only for a reader that takes a cursor.
    {
      text: `select count(pg_advisory_xact_lock(number)) from unnest($1::bigint[]) as number
        union all select count(pg_advisory_xact_lock_shared(${lockNumber(EVENT_ORDER)}))`,
      values: [lockNumbers(names)],
    },
    { text: INSERT, values: valuesOf(arrivals) },
  ]);
  return arrivals.map((arrival, place) => recordedOf(arrival, rows[place]));
}

/**
 * Settings of this transaction only. A generic plan serves any number of events: left to choose, the server overestimates its
 * cost and plans each time (0.4 ms).
 */
function settingsOf(lockWithinMs: number | undefined): string {
  const generic = `select set_config('plan_cache_mode', 'force_generic_plan', true)`;
  return lockWithinMs === undefined ? generic : `${generic}, set_config('lock_timeout', '${lockWithinMs}', true)`;
}

function recordedOf({ event, nowMs }: Arrival, row: Row | undefined): Recorded {
  const eventKey = row?.event_key ?? undefined;
  if (row === undefined || eventKey === undefined) return { duplicate: true, conflict: false, wakes: [] };
  const owed = { eventKey: `${event.account}/${eventKey}`, owedSinceMs: nowMs };
  const wakes = row.workflow_ids.map((workflowId) => ({ ...owed, workflowId }));
  return { duplicate: false, conflict: row.conflict === true, wakes };
}

/**
 * One SQL text for any number of events, so that its plan is reused (docs/decisions/0062). All bodies are sent as one binary
 * value, with the offset of each: an array of them would be twice as long. The look-ups are lateral, so each goes through an
 * index whatever the planner believes about the size of a table.
 */
const INSERT = `
    with incoming as (
      select place, account, event_id, event, substring($1::bytea from body_from for body_bytes) as body, body_sha256,
        array(select jsonb_array_elements_text(key_list)) as keys, created_at, delivery_id, received_at
      from unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::text[], $8::jsonb[], $9::text[],
        $10::text[], $11::timestamptz[]) with ordinality as arrival (account, event_id, event, body_from, body_bytes,
        body_sha256, key_list, created_at, delivery_id, received_at, place)
    ), judged as (
      select incoming.*, known.body_sha256 as known_sha256,
        case when known.body_sha256 is null then event_id else event_id || '#' || incoming.body_sha256 end as event_key
      from incoming left join lateral (
        select body_sha256 from tramita.event
        where event.account = incoming.account and event.event_key = incoming.event_id limit 1
      ) as known on true
    ), stored as (
      insert into tramita.event (account, event_key, event_id, event, body_sha256, conflict, keys, created_at,
        delivery_id, received_at)
      select account, event_key, event_id, event, body_sha256, known_sha256 is not null, keys, created_at,
        delivery_id, received_at
      from judged where known_sha256 is distinct from body_sha256 order by place
      on conflict (account, event_key) do nothing
      returning account, event_key, conflict, seq
    ), bodies as (
      insert into tramita.event_bytes (received_at, seq, bytes)
      select received_at, seq, body from stored join judged using (account, event_key)
    ), waiting as (
      select place, found.workflow_ids from incoming cross join lateral (
        select array_agg(distinct workflow_id order by workflow_id) as workflow_ids from tramita.waiter
        where waiter.key = any (incoming.keys) and waiter.expires_at > incoming.received_at
          and ${answersTo('incoming.event')}
      ) as found where found.workflow_ids is not null
    ), noted as (
      insert into tramita.event_wake (event_key, workflow_id, created_at)
      select account || '/' || event_key, unnest(workflow_ids), received_at
      from stored join judged using (account, event_key) join waiting using (place)
    )
    select stored.event_key, stored.conflict, coalesce(workflow_ids, '{}') as workflow_ids
    from judged left join stored using (account, event_key) left join waiting using (place)
    order by place`;

function valuesOf(arrivals: readonly Arrival[]): readonly unknown[] {
  const all = <T>(value: (event: IncomingEvent) => T): readonly T[] => arrivals.map(({ event }) => value(event));
  let end = 0;
  const ends = all(({ body }) => (end += body.length));
  return [
    Buffer.concat(all(({ body }) => body)),
    all(({ account }) => account),
    all(({ eventId }) => eventId),
    all(({ event }) => event),
    arrivals.map(({ event }, place) => (ends[place] ?? 0) - event.body.length + 1),
    all(({ body }) => body.length),
    all(({ bodySha256 }) => bodySha256),
    all(({ keys }) => JSON.stringify(keys)),
    all(({ createdAt }) => createdAt ?? null),
    all(({ deliveryId }) => deliveryId ?? null),
    arrivals.map(({ nowMs }) => new Date(nowMs)),
  ];
}
