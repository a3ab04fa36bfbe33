/** Durations as callers write them: `90s`, `10m`, `24h`, `30d`. Pure. */
import { DAY_MS, MINUTE_MS } from './timing.js';

const DURATION = /^(\d+)(s|m|h|d)$/;
/** Texts that {@link parseDurationMs} reads, as the source of a regular expression; ten years are the most. */
export const DURATION_FORM = DURATION.source;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: 60 * MINUTE_MS, d: DAY_MS };

/** Longest duration accepted: ten years. Longer ones are mistakes, and a timer cannot carry them. */
const MAX_DURATION_MS = 3_650 * DAY_MS;

/** Milliseconds, or undefined when `text` is not `^\d+(s|m|h|d)$` or is longer than ten years. */
export function parseDurationMs(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, count = '', unit = ''] = match;
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  return Number.isSafeInteger(ms) && ms <= MAX_DURATION_MS ? ms : undefined;
}

/** The most that jitter adds, as a share of the wait. */
const JITTER_SHARE = 0.2;

/**
 * Adds jitter to a wait, so that many waiters do not all come back at once: never shorter than `ms`, up to 20 % longer.
 * `random`: 0 to 1, like `Math.random`.
 */
export function withJitter(ms: number, random: () => number): number {
  return Math.ceil(ms * (1 + JITTER_SHARE * random()));
}

/** A wait that grows with the time already waited: `share` of it, at least `leastMs`. */
export function growingWaitMs(
  waitedMs: number,
  { leastMs, share }: { readonly leastMs: number; readonly share: number },
): number {
  return Math.max(leastMs, waitedMs * share);
}

/** A length of time for people: `1h 05m`, `3m 20s`, `12s`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  const rest = seconds % 60;
  const two = (value: number): string => String(value).padStart(2, '0');
  if (days > 0) return `${days}d ${two(hours)}h`;
  if (hours > 0) return `${hours}h ${two(minutes)}m`;
  if (minutes > 0) return `${minutes}m ${two(rest)}s`;
  return `${rest}s`;
}
