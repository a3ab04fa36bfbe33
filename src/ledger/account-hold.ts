/**
 * Why the calls of an account wait unsent. Outage brake (a circuit breaker): several charged calls in a row ended in 5xx or
 * without an answer. Further ones wait until a free probe or another answer shows that the service is back; then a single failure
 * holds them again. Throttle: the service asked to be called later. If it asked a charged call, all calls wait; if it asked a
 * free one (a poll), only free calls wait.
 * The state is in the database, for all processes. It is written with the settlement and read with the intent's look-up, so it
 * costs no round trip. Pure decisions; the activities probe the service.
 */
import type { Intent } from './intent.js';
import type { Settlement } from './settlement.js';

export type AccountHold =
  /** Several charged calls in a row ended in 5xx or without an answer. Free calls are not held. */
  | { readonly because: 'outage'; readonly sinceMs: number; readonly failures: number }
  /**
   * The service asked for a pause (429 with `Retry-After`): all calls wait if it asked a charged call, free ones if a free call.
   */
  | { readonly because: 'throttled'; readonly untilMs: number }
  /** The database is in another life than before, so rows may be lost. No charged call is sent until every journal was heard. */
  | { readonly because: 'ledger'; readonly sinceMs: number };

/** State of an account in the table `account_hold`. */
export interface HoldFacts {
  readonly failures: number;
  readonly outageSinceMs: number | null;
  readonly throttledUntilMs: number | null;
  readonly freeThrottledUntilMs: number | null;
}

/** A longer requested wait is cut to this: a typing error of the service must not stop an account for days. */
export const LONGEST_THROTTLE_MS = 15 * 60_000;
/** A later end was written by a clock further ahead than clocks of a fleet are, and is ignored. */
export const BELIEVED_THROTTLE_MS = LONGEST_THROTTLE_MS + 60_000;

/** An outage does not hold free calls: they spend nothing and may show its end. */
export function decideHold(
  { failures, outageSinceMs, throttledUntilMs, freeThrottledUntilMs }: HoldFacts,
  { free, nowMs }: { readonly free: boolean; readonly nowMs: number },
): AccountHold | undefined {
  if (outageSinceMs !== null && !free) return { because: 'outage', sinceMs: outageSinceMs, failures };
  const ends = [throttledUntilMs, free ? freeThrottledUntilMs : null].map((untilMs) => plausible(untilMs, nowMs));
  const untilMs = Math.max(...ends);
  return untilMs > nowMs ? { because: 'throttled', untilMs } : undefined;
}

/** 0 if there is none, or if it was written by a clock that ran ahead. */
function plausible(untilMs: number | null, nowMs: number): number {
  return untilMs === null || untilMs > nowMs + BELIEVED_THROTTLE_MS ? 0 : untilMs;
}

/** What the result of a call says about its account. */
export interface HoldNews {
  readonly account: string;
  /** `failure`: 5xx or no answer. `answer`: the service is there. `nothing`: it says nothing about the service. */
  readonly seen: 'failure' | 'answer' | 'nothing';
  readonly throttledUntilMs: number | null;
  /** A free call was asked to wait; charged calls go on. */
  readonly freeThrottledUntilMs: number | null;
}

/**
 * For the outage brake only the own result of a charged call counts. A dead worker says nothing about the service, and a call
 * that was never sent is repeated without cost.
 */
export function holdNewsOf(before: Intent, settlement: Settlement, nowMs: number): HoldNews {
  const { throttledUntilMs = null } = settlement;
  const untilMs = throttledUntilMs === null ? null : Math.min(throttledUntilMs, nowMs + LONGEST_THROTTLE_MS);
  const isCharged = before.reserved > 0;
  const waitUntilMs = untilMs !== null && untilMs > nowMs ? untilMs : null;
  return {
    account: before.account,
    seen: before.state === 'open' && isCharged ? seenIn(settlement) : 'nothing',
    throttledUntilMs: isCharged ? waitUntilMs : null,
    freeThrottledUntilMs: isCharged ? null : waitUntilMs,
  };
}

function seenIn({ state, httpStatus }: Settlement): HoldNews['seen'] {
  if (state === 'not_sent') return 'nothing';
  if (state === 'unknown') return 'failure';
  return state === 'rejected' && (httpStatus ?? 0) >= 500 ? 'failure' : 'answer';
}
