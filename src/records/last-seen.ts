/**
 * When a record was last seen. A record that comes again unchanged is no older than one that changed, so retention goes by this
 * time, and an answer from before it does not replace the record. A page of few rows, such as a cover, writes it each time. A
 * larger one writes it once a week at most: otherwise every read of a case would write all of its movements again. So a late
 * answer may still replace a row of a large page that had changed and changed back within that week, until the page is read again.
 */
import { sql, type RawBuilder } from 'kysely';
import { CLOCK_MARGIN_MS, DAY_MS } from '../contract/values/index.js';
import { instant } from '../store/index.js';

const SEEN_AGAIN_MS = 7 * DAY_MS;
/** Pages of at most so many rows write the time of each row each time. */
const FEW_ROWS = 10;

/** The time by which a record ages, as in its index. Programs of the previous release write `changed_at` only. */
export const LAST_SEEN = 'greatest(last_seen_at, changed_at)';

/** The same of the existing row, in an upsert. */
export const SEEN_AT = sql`greatest(kept.last_seen_at, kept.changed_at)`;

/** In an upsert: whether the existing row was last seen more than a week ago. `seenAt`: when it was. */
export function notSeenLately(nowMs: number, seenAt = SEEN_AT, againMs = SEEN_AGAIN_MS): RawBuilder<boolean> {
  return sql<boolean>`${seenAt} < ${instant(nowMs - againMs)}`;
}

/** In an upsert of a page of so many rows: whether the time when the existing row was seen is written again. */
export function seenAgain(nowMs: number, rows: number): RawBuilder<boolean> {
  // Within the margin of the clocks, neither of two answers counts as the later one.
  return notSeenLately(nowMs, SEEN_AT, rows > FEW_ROWS ? SEEN_AGAIN_MS : CLOCK_MARGIN_MS);
}

/**
 * In an upsert: no later answer has changed the existing row, or confirmed it, as far as that was written. The clocks of two
 * workers may differ.
 */
export function notChangedAfter(nowMs: number, changedAt = sql`kept.changed_at`): RawBuilder<boolean> {
  return sql<boolean>`${changedAt} <= ${instant(nowMs + CLOCK_MARGIN_MS)}`;
}

/** The opposite of {@link notChangedAfter} as SQL text; `at` is the time of the new row. */
export function isOlder(changedAt: string, at: string): string {
  return `${changedAt} > ${at} + interval '${CLOCK_MARGIN_MS} milliseconds'`;
}

/** In an upsert that an older answer may reach because it seals the row: assignments that do not change these columns then. */
export function unlessOlder(names: readonly string[], older: string): string {
  return names.map((name) => `${name} = case when ${older} then kept.${name} else excluded.${name} end`).join(', ');
}
