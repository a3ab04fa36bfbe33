/**
 * What the inbox forgets: wakes that were delivered long ago and, where a time is configured, what events say. Their ids stay
 * forever, because a duplicate is recognised however late it comes. Small batches, so that nobody waits for a lock; several
 * workers may do it at once.
 */
import { sql } from 'kysely';
import { instant, type Database } from '../store/index.js';

/** Longer than any look at delivered wakes goes back (the report of missed webhooks). */
export const WAKES_KEPT_MS = 30 * 86_400_000;
const BATCH = 1_000;
/** Of one round; the next one goes on. */
const MAX_BATCHES = 50;

export async function dropOldWakes(db: Database, nowMs: number): Promise<number> {
  return inBatches(async () => {
    const { numAffectedRows } = await sql`
      delete from tramita.event_wake where ctid = any (array(
        select ctid from tramita.event_wake
        where woken_at < ${instant(nowMs - WAKES_KEPT_MS)} order by woken_at limit ${BATCH} for update skip locked))`.execute(
      db,
    );
    return Number(numAffectedRows ?? 0);
  });
}

/** The keys go with the body: they may name a person. Nothing can be replayed, or proved, from such an event any more. */
export async function dropOldBodies(db: Database, olderThanMs: number, nowMs: number): Promise<number> {
  return inBatches(async () => {
    const { numAffectedRows } = await sql`
      update tramita.event set body = null, keys = '{}' where ctid = any (array(
        select ctid from tramita.event
        where body is not null and received_at < ${instant(nowMs - olderThanMs)}
        order by received_at limit ${BATCH} for update skip locked))`.execute(db);
    return Number(numAffectedRows ?? 0);
  });
}

async function inBatches(run: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = await run();
    total += count;
    if (count < BATCH) break;
  }
  return total;
}
