/**
 * When a record came last. One that comes again as it was does not change, and is no older than one that does: retention goes by
 * this. It is written once a week at most, or every read of a case would write all of its movements again.
 */
import { sql, type RawBuilder } from 'kysely';
import { DAY_MS } from '../contract/values/index.js';
import { instant } from '../store/index.js';

const SEEN_AGAIN_MS = 7 * DAY_MS;

/** The time by which a record ages, as its index has it. Programs of the release before write only the one. */
export const LAST_SEEN = 'greatest(last_seen_at, changed_at)';

/** In an upsert, of the row that is there; `seenAt` is its time. */
export function notSeenLately(
  nowMs: number,
  seenAt = sql`greatest(kept.last_seen_at, kept.changed_at)`,
): RawBuilder<boolean> {
  return sql<boolean>`${seenAt} < ${instant(nowMs - SEEN_AGAIN_MS)}`;
}
