/**
 * What the inbox forgets: wakes that were delivered long ago, what old events say and, much later, the events themselves: a
 * duplicate is recognised for as long as its id is there. Small batches, so that nothing waits long for a lock; several
 * workers may do it at once.
 */
import { WAKES_KEPT_MS } from '../contract/values/index.js';
import { sql, type RawBuilder } from 'kysely';
import { BATCH, dropMonths, inBatches, instant, type Database } from '../store/index.js';
import type { InboxDependencies } from './dependencies.js';

export interface Retention {
  /**
   * Forgets wakes delivered more than 30 days ago; bodies and keys of events older than `eventBodiesMs`, and events older than
   * `eventIdsMs` whole, where these are given. Returns how many rows were touched, and how many months of bodies went whole.
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

/** What an event is found by goes first: nobody looks for a body that is gone. */
async function dropBodies(db: Database, receivedBeforeMs: number) {
  const events = await inBatches(db, emptyOldEvents(receivedBeforeMs));
  const months = await dropMonths(db, 'event_bytes', receivedBeforeMs);
  return { bodies: events + (await inBatches(db, dropOldBytes(receivedBeforeMs))), months };
}

function dropOldWakes(nowMs: number): RawBuilder<unknown> {
  return sql`
    delete from tramita.event_wake where ctid = any (array(
      select ctid from tramita.event_wake
      where woken_at < ${instant(nowMs - WAKES_KEPT_MS)} order by woken_at limit ${BATCH} for update skip locked))`;
}

/** The keys go with the body: they may name a person. Nothing can be replayed, or proved, from such an event any more. */
function emptyOldEvents(receivedBeforeMs: number): RawBuilder<unknown> {
  return sql`
    update tramita.event set body = null, keys = '{}' where ctid = any (array(
      select ctid from tramita.event
      where (body is not null or keys <> '{}') and received_at < ${instant(receivedBeforeMs)}
      order by received_at limit ${BATCH} for update skip locked))`;
}

/** Of the month that is not over before that instant, and of the default partition. */
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
