/**
 * When a record was last seen. A record that comes again unchanged is no older than one that changed, so retention goes by this
 * time. It is written once a week at most: otherwise every read of a case would write all of its movements again.
 */
import { sql, type RawBuilder } from 'kysely';
import { CLOCK_MARGIN_MS, DAY_MS } from '../contract/values/index.js';
import { instant } from '../store/index.js';

const SEEN_AGAIN_MS = 7 * DAY_MS;

/** The time by which a record ages, as in its index. Programs of the previous release write `changed_at` only. */
export const LAST_SEEN = 'greatest(last_seen_at, changed_at)';

/** The same of the existing row, in an upsert. */
export const SEEN_AT = sql`greatest(kept.last_seen_at, kept.changed_at)`;

/** In an upsert: whether the existing row was last seen more than a week ago. `seenAt`: when it was. */
export function notSeenLately(nowMs: number, seenAt = SEEN_AT): RawBuilder<boolean> {
  return sql<boolean>`${seenAt} < ${instant(nowMs - SEEN_AGAIN_MS)}`;
}

/**
 * In an upsert: no later answer has changed the existing row, or confirmed it, as far as that was written. The clocks of two
 * workers may differ.
 */
export function notChangedAfter(nowMs: number, changedAt = sql`kept.changed_at`): RawBuilder<boolean> {
  return sql<boolean>`${changedAt} <= ${instant(nowMs + CLOCK_MARGIN_MS)}`;
}
