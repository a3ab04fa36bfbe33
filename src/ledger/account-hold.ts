/**
 * Why the calls of an account wait unsent. Outage brake (a circuit breaker): several charged calls in a row ended in 5xx or
 * without an answer; further ones wait until a free look or another answer shows the service back, and one failure is enough to
 * wait again. Throttle: the service named the time at which it wants to be asked again; from the answer of a charged call that
 * holds all calls, from that of a free one (a poll) only free ones. Kept in the database for all processes; noted inside the
 * settlement and read inside the intent's look-up, so it costs no round trip. Pure decisions; the activities look whether the
 * service is back.
 */
import type { Intent } from './intent.js';
import type { Settlement } from './settlement.js';

export type AccountHold =
  /** Charged calls in a row ended in 5xx or without an answer; free calls are not held. */
  | { readonly because: 'outage'; readonly sinceMs: number; readonly failures: number }
  /** The service asked the account to wait (429 with `Retry-After`). A charged call was asked: all calls; a free one: free calls. */
  | { readonly because: 'throttled'; readonly untilMs: number }
  /** The database has another life than before: rows may be lost, nothing is sent until every journal was heard. */
  | { readonly because: 'ledger'; readonly sinceMs: number };

/** What the table `account_hold` says of an account. */
export interface HoldFacts {
  readonly failures: number;
  readonly outageSinceMs: number | null;
  readonly throttledUntilMs: number | null;
  readonly freeThrottledUntilMs: number | null;
}

/** A wish to wait is believed up to this: a typing error must not stop an account for days. */
export const LONGEST_THROTTLE_MS = 15 * 60_000;
/** A later one was written by a clock that ran ahead by more than clocks of a fleet do. */
export const BELIEVED_THROTTLE_MS = LONGEST_THROTTLE_MS + 60_000;

/** Free calls spend nothing during an outage, and may be what shows its end. */
export function decideHold(
  { failures, outageSinceMs, throttledUntilMs, freeThrottledUntilMs }: HoldFacts,
  { free, nowMs }: { readonly free: boolean; readonly nowMs: number },
): AccountHold | undefined {
  if (outageSinceMs !== null && !free) return { because: 'outage', sinceMs: outageSinceMs, failures };
  const wishes = [throttledUntilMs, free ? freeThrottledUntilMs : null].map((untilMs) => believable(untilMs, nowMs));
  const untilMs = Math.max(...wishes);
  return untilMs > nowMs ? { because: 'throttled', untilMs } : undefined;
}

/** 0 where there is no wish, or one written by a clock that ran ahead. */
function believable(untilMs: number | null, nowMs: number): number {
  return untilMs === null || untilMs > nowMs + BELIEVED_THROTTLE_MS ? 0 : untilMs;
}

/** What the result of a call says about its account. */
export interface HoldNews {
  readonly account: string;
  /** `failure`: 5xx or no answer. `answer`: the service is there. `nothing`: it says nothing about the service. */
  readonly seen: 'failure' | 'answer' | 'nothing';
  readonly throttledUntilMs: number | null;
  /** A free call was asked: charged ones go on. */
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
