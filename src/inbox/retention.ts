/**
 * What the inbox forgets: wakes that were delivered long ago and, where a time is configured, what events say. Their ids stay
 * forever, because a duplicate is recognised however late it comes. Small batches, so that nothing waits long for a lock; several
 * workers may do it at once.
 */
import { WAKES_KEPT_MS } from '../contract/values/index.js';
import { sql, type RawBuilder } from 'kysely';
import { dropMonths, instant, type Database } from '../store/index.js';
import type { InboxDependencies } from './dependencies.js';

const BATCH = 1_000;
/** Of one round; the next one goes on. */
const MAX_BATCHES = 50;

export interface Retention {
  /**
   * Forgets wakes delivered more than 30 days ago and, where `eventBodiesMs` is given, bodies and keys of older events. The
   * ids of events stay forever. Returns how many rows were touched, and how many months of bodies went whole.
   */
  forgetOld(kept: {
    readonly eventBodiesMs?: number;
  }): Promise<{ readonly wakes: number; readonly bodies: number; readonly months: number }>;
}

export function createRetention({ db, clock }: InboxDependencies): Retention {
  return {
    forgetOld: async ({ eventBodiesMs }) => ({
      wakes: await inBatches(db, dropOldWakes(clock())),
      ...(eventBodiesMs === undefined ? { bodies: 0, months: 0 } : await dropBodies(db, clock() - eventBodiesMs)),
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

async function inBatches(db: Database, statement: RawBuilder<unknown>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = Number((await statement.execute(db)).numAffectedRows ?? 0);
    total += count;
    if (count < BATCH) break;
  }
  return total;
}
