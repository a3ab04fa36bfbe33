/**
 * Why the calls of an account wait unsent. Outage brake: so many charged calls in a row ended in 5xx or without an answer
 * that further ones wait until a free look or another answer shows the service back; one failure is enough to wait again.
 * Throttle: the service named the time at which it wants to be asked again; told to a charged call it holds all calls, told to
 * a free one (a poll) free ones alone. Kept in the database for all processes; noted
 * inside the settlement and read inside the intent's look-up, so it costs no round trip. Decisions here are pure; who looks
 * whether the service is back is left to the activities.
 */
import type { HoldRow } from './look-up.js';
import type { AccountHold, Intent, Settlement } from './types.js';

/** A wish to wait is believed up to this: a typing error must not stop an account for days. */
export const LONGEST_THROTTLE_MS = 15 * 60_000;

/** Free calls spend nothing during an outage, and may be what shows its end. */
export function decideHold(
  row: HoldRow,
  { free, nowMs }: { readonly free: boolean; readonly nowMs: number },
): AccountHold | undefined {
  if (row.outage_since !== null && !free) {
    return { because: 'outage', sinceMs: row.outage_since, failures: row.failures };
  }
  const untilMs = Math.max(row.throttled_until ?? 0, free ? (row.free_throttled_until ?? 0) : 0);
  return untilMs > nowMs ? { because: 'throttled', untilMs } : undefined;
}

/** What the result of a call tells about its account. */
export interface HoldNews {
  readonly account: string;
  /** `failure`: 5xx or no answer. `answer`: the service is there. `nothing`: it says nothing about the service. */
  readonly seen: 'failure' | 'answer' | 'nothing';
  readonly throttledUntilMs: number | null;
  /** Told to a free call: charged ones go on. */
  readonly freeThrottledUntilMs: number | null;
}

/**
 * Only the call's own result counts, and only a charged one's. A worker that died says nothing about the service, and
 * what was never sent is repeated for nothing.
 */
export function holdNewsOf(before: Intent, settlement: Settlement, nowMs: number): HoldNews {
  const { throttledUntilMs = null } = settlement;
  const until = throttledUntilMs === null ? null : Math.min(throttledUntilMs, nowMs + LONGEST_THROTTLE_MS);
  const isCharged = before.reserved > 0;
  const wish = until !== null && until > nowMs ? until : null;
  return {
    account: before.account,
    seen: before.state === 'open' && isCharged ? seenIn(settlement) : 'nothing',
    throttledUntilMs: isCharged ? wish : null,
    freeThrottledUntilMs: isCharged ? null : wish,
  };
}

function seenIn({ state, httpStatus }: Settlement): HoldNews['seen'] {
  if (state === 'not_sent') return 'nothing';
  if (state === 'unknown') return 'failure';
  return state === 'rejected' && (httpStatus ?? 0) >= 500 ? 'failure' : 'answer';
}
