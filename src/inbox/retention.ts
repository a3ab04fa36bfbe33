/**
 * Deletes old data of the inbox: delivered wakes, bodies and keys of events and, much later, the events themselves. A duplicate
 * is recognised only while its event is stored. Small batches keep locks short; several workers may run it at once.
 */
import { WAKES_KEPT_MS } from '../contract/values/index.js';
import { sql, type RawBuilder } from 'kysely';
import { BATCH, dropMonths, inBatches, instant, type Database } from '../store/index.js';
import type { InboxDependencies } from './dependencies.js';

export interface Retention {
  /**
   * Deletes wakes delivered more than 30 days ago and, if given, bodies and keys of events older than `eventBodiesMs` and whole
   * events older than `eventIdsMs`. Returns how many rows were changed, and how many months of bodies were dropped whole.
   */
  forgetOld(kept: {
    readonly eventBodiesMs?: number | null;
    readonly eventIdsMs?: number | null;
  }): Promise<{ readonly wakes: number; readonly bodies: number; readonly months: number; readonly events: number }>;
}

export function createRetention({ db, clock }: InboxDependencies): Retention {
  return {
    forgetOld: async ({ eventBodiesMs = null, eventIdsMs = null }) => ({
      wakes: await inBatches(db, dropOldWakes(clock())),
      ...(eventBodiesMs === null ? { bodies: 0, months: 0 } : await dropBodies(db, clock() - eventBodiesMs)),
      events: eventIdsMs === null ? 0 : await inBatches(db, dropOldEvents(clock() - eventIdsMs)),
    }),
  };
}

/** Keys go before bodies, so that no event is found whose body is already deleted. */
async function dropBodies(db: Database, receivedBeforeMs: number) {
  const events = await inBatches(db, emptyOldEvents(receivedBeforeMs));
  const beforeMs = (await oldestWithKeys(db, receivedBeforeMs)) ?? receivedBeforeMs;
  const months = await dropMonths(db, 'event_bytes', beforeMs);
  return { bodies: events + (await inBatches(db, dropOldBytes(beforeMs))), months };
}

/** When the first event came whose keys are still to be dropped: there were more than one round takes, or its row was locked. */
async function oldestWithKeys(db: Database, receivedBeforeMs: number): Promise<number | undefined> {
  const { rows } = await sql<{ readonly receivedAtMs: number }>`
    select received_at as "receivedAtMs" from tramita.event where ${hasKeysBefore(receivedBeforeMs)}
    order by received_at limit 1`.execute(db);
  return rows[0]?.receivedAtMs;
}

function hasKeysBefore(receivedBeforeMs: number): RawBuilder<boolean> {
  return sql<boolean>`((body is not null or keys <> '{}') and received_at < ${instant(receivedBeforeMs)})`;
}

function dropOldWakes(nowMs: number): RawBuilder<unknown> {
  return sql`
    delete from tramita.event_wake where ctid = any (array(
      select ctid from tramita.event_wake
      where woken_at < ${instant(nowMs - WAKES_KEPT_MS)} order by woken_at limit ${BATCH} for update skip locked))`;
}

/** Keys are dropped with the body because they may name a person. Such an event can be neither replayed nor used as proof. */
function emptyOldEvents(receivedBeforeMs: number): RawBuilder<unknown> {
  return sql`
    update tramita.event set body = null, keys = '{}' where ctid = any (array(
      select ctid from tramita.event where ${hasKeysBefore(receivedBeforeMs)}
      order by received_at limit ${BATCH} for update skip locked))`;
}

/** Rows that no dropped month covers: those of the month that contains the instant, and those of the default partition. */
function dropOldBytes(receivedBeforeMs: number): RawBuilder<unknown> {
  return sql`
    with old as materialized (
      select received_at, seq from tramita.event_bytes where received_at < ${instant(receivedBeforeMs)}
      order by received_at limit ${BATCH} for update skip locked)
    delete from tramita.event_bytes as stored using old where stored.received_at = old.received_at and stored.seq = old.seq`;
}

function dropOldEvents(receivedBeforeMs: number): RawBuilder<unknown> {
  return sql`
    delete from tramita.event where ctid = any (array(
      select ctid from tramita.event where received_at < ${instant(receivedBeforeMs)}
      order by received_at limit ${BATCH} for update skip locked))`;
}
