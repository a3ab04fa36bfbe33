/**
 * Puts an event into the inbox, once, and finds who waits for it: one transaction under the lock of each key that the
 * event answers to. A flow that begins to wait takes the same locks, so one of the two always sees the other.
 */
import { sql, type RawBuilder } from 'kysely';
import { instant, lockNumber, lockNumbers, withOpening, type Database } from '../store/index.js';
import { EVENT_ORDER } from './list-events.js';
import type { IncomingEvent, Recorded, Wake } from './types.js';

interface Row {
  readonly event_key: string | null;
  readonly conflict: boolean | null;
  readonly workflow_ids: readonly string[];
}

export async function recordEvent(db: Database, event: IncomingEvent, nowMs: number): Promise<Recorded> {
  const names = [`event:${event.account}/${event.eventId}`, ...event.keys];
  const locks = [
    ...lockNumbers(names).map((lock) => `select pg_advisory_xact_lock(${lock})`),
    // Shared: recorders do not wait for each other here, only for a reader that takes a cursor.
    `select pg_advisory_xact_lock_shared(${lockNumber(EVENT_ORDER)})`,
  ];
  return withOpening(db, locks, async (trx) => {
    const { rows } = await insertStatement(event, instant(nowMs)).execute(trx);
    const [row] = rows;
    const eventKey = row?.event_key ?? undefined;
    if (row === undefined || eventKey === undefined) return { duplicate: true, conflict: false, wakes: [] };
    const wakes = row.workflow_ids.map((workflowId): Wake => ({
      eventKey: `${event.account}/${eventKey}`,
      workflowId,
    }));
    return { duplicate: false, conflict: row.conflict === true, wakes };
  });
}

function insertStatement(event: IncomingEvent, now: RawBuilder<number>): RawBuilder<Row> {
  const conflictKey = `${event.eventId}#${event.bodySha256}`;
  return sql<Row>`
    with known as (
      select body_sha256 from tramita.event where account = ${event.account} and event_key = ${event.eventId}
    ), stored as (
      insert into tramita.event (account, event_key, event_id, event, body, body_sha256, conflict, keys, created_at,
        delivery_id, received_at)
      select ${event.account}, case when exists (select from known) then ${conflictKey} else ${event.eventId} end,
        ${event.eventId}, ${event.event}, ${event.body}::bytea, ${event.bodySha256}, exists (select from known),
        ${[...event.keys]}::text[], ${event.createdAt ?? null}, ${event.deliveryId ?? null}, ${now}
      where not exists (select from known where body_sha256 = ${event.bodySha256})
      on conflict (account, event_key) do nothing
      returning event_key, conflict
    ), waiting as (
      select distinct workflow_id from tramita.waiter
      where key = any (${[...event.keys]}::text[]) and expires_at > ${now}
    ), noted as (
      insert into tramita.event_wake (event_key, workflow_id, created_at)
      select ${event.account} || '/' || stored.event_key, waiting.workflow_id, ${now}
      from stored cross join waiting
    )
    select (select event_key from stored), (select conflict from stored),
      coalesce((select array_agg(workflow_id order by workflow_id) from waiting), '{}') as workflow_ids`;
}
