/** Instants on the command line: a day of São Paulo, an ISO time with its zone, or a duration before now. Pure. */
import { DAY_MS, parseCivilDate, parseDurationMs, present } from '../../contract/index.js';
import { usageError } from '../exit-codes.js';

/** São Paulo has kept one offset since 2019. */
const LOCAL_MIDNIGHT = 'T00:00:00-03:00';
const SINCE = /^\d{1,6}[mhd]$/;
const DAY_OR_TIME = 'a day like 2026-03-10, or an ISO time with its zone';

/** From the beginning of the day `--from` until the end of the day `--to`, or between instants. @throws a usage error. */
export function periodOf({ from, to }: Readonly<Record<'from' | 'to', string | undefined>>): {
  readonly fromMs?: number;
  readonly beforeMs?: number;
} {
  const fromMs = from === undefined ? undefined : parseTime('--from', from, 0);
  const beforeMs = to === undefined ? undefined : parseTime('--to', to, DAY_MS);
  // An empty period is refused: its empty answer would read as if nothing had happened.
  if (fromMs !== undefined && beforeMs !== undefined && fromMs >= beforeMs) {
    throw usageError(`--from: seen "${from ?? ''}", which is not before --to "${to ?? ''}"`);
  }
  return present({ fromMs, beforeMs });
}

/** `--since`: `90m`, `24h`, `7d` ago, else the beginning of a day or an instant. */
export function parseSince(text: string, nowMs: number): number {
  const agoMs = SINCE.test(text) ? parseDurationMs(text) : undefined;
  if (agoMs !== undefined) return nowMs - agoMs;
  return parseTime('--since', text, 0, `a duration like 24h, ${DAY_OR_TIME}`);
}

function parseTime(flag: string, text: string, dayMs: number, expected = DAY_OR_TIME): number {
  const day = /^\d{4}-\d\d-\d\d$/.test(text);
  const zoned = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text);
  const ms = Date.parse(day ? text + LOCAL_MIDNIGHT : zoned ? text : '');
  // `Date.parse` reads 2026-02-30 as a day of March.
  if (Number.isNaN(ms) || parseCivilDate(text.slice(0, 10)) === undefined) {
    throw usageError(`${flag}: seen "${text}"; expected ${expected}`);
  }
  return day ? ms + dayMs : ms;
}
