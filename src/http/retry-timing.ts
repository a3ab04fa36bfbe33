/**
 * Timing hints → delays in ms. Precedence: `Retry-After`, `pollAfterMs`, `pollAfterSeconds`, `nextPollAt`; a hint that
 * does not parse is skipped in favour of the next one. Dates are read against the answer's own `Date`, so a
 * skewed clock on either side does not matter; an answer without one is read against our clock when it came. Pure.
 */
import { growingWaitMs, readInstantMs, type PollHints } from '../contract/index.js';
import { DAY_MS } from '../contract/values/index.js';
import { readHttpDateMs } from './http-date.js';
import type { AnswerHead } from './types.js';

/** Shortest and longest delay between two polls; share of the time already waited. */
const MIN_POLL_DELAY_MS = 1_000;
export const MAX_POLL_DELAY_MS = 15 * 60_000;
const WAITED_SHARE = 0.05;

/** Hints are capped at a day: a timestamp or a typo read as seconds must not stop a flow for years. */
export const MAX_HINT_MS = DAY_MS;

/** Delay that the service asked for, 0 to {@link MAX_HINT_MS}; null when it gave no readable hint. */
export function readHintMs({ headers, dateMs, receivedAtMs }: AnswerHead, hints: PollHints = {}): number | null {
  const answeredAtMs = dateMs ?? receivedAtMs;
  const found =
    retryAfterMs(headers['retry-after'], answeredAtMs) ??
    durationMs(hints.pollAfterMs, 1) ??
    durationMs(hints.pollAfterSeconds, 1_000) ??
    untilMs(readInstantMs(hints.nextPollAt), answeredAtMs);
  return found === undefined ? null : clampHint(found);
}

/** Delay before the next poll: never below the hint, 1 s and 5 % of the time waited; never above 15 min. */
export function pollDelayMs({
  hintMs,
  waitedMs,
}: {
  readonly hintMs: number | null;
  readonly waitedMs: number;
}): number {
  const waited = Number.isFinite(waitedMs) ? Math.max(0, waitedMs) : 0;
  const wanted = Math.max(hintMs ?? 0, growingWaitMs(waited, { leastMs: MIN_POLL_DELAY_MS, share: WAITED_SHARE }));
  return Math.ceil(Math.min(wanted, MAX_POLL_DELAY_MS));
}

/** RFC 9110 10.2.3: `1*DIGIT` or an HTTP date. A number is always seconds, never a timestamp. */
function retryAfterMs(value: string | undefined, answeredAtMs: number): number | undefined {
  const text = value?.replace(/^[ \t]+|[ \t]+$/g, '');
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  return untilMs(readHttpDateMs(text, answeredAtMs), answeredAtMs);
}

function durationMs(value: number | undefined, unitMs: number): number | undefined {
  return value === undefined || !Number.isFinite(value) || value < 0 ? undefined : Math.ceil(value * unitMs);
}

function untilMs(instantMs: number | undefined, answeredAtMs: number): number | undefined {
  return instantMs === undefined ? undefined : instantMs - answeredAtMs;
}

function clampHint(ms: number): number {
  return Math.min(MAX_HINT_MS, Math.max(0, ms));
}
