/** A time as a statement writes it → the instants that it may mean. Pure. */
import { DAY_MS, MINUTE_MS } from '../../contract/index.js';

/** From the first to the last millisecond, both included, epoch ms. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/;
const BRAZILIAN = /^(\d\d)\/(\d\d)\/(\d{4})(?:,? +(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Offset of a zone from UTC at an instant, in ms. */
export type OffsetAt = (instantMs: number) => number;

/**
 * `2026-03-10T12:00:00Z`, `2026-03-10 09:00:00` or `10/03/2026 09:00`; without seconds it is the whole minute, without a time the
 * whole day. Near a change of the clock it is every instant that the text may mean. Undefined if it is no time.
 */
export function readLocalTime(text: string, offsetAt: OffsetAt): Span | undefined {
  const iso = ISO.exec(text.trim());
  const match = iso ?? BRAZILIAN.exec(text.trim());
  if (match === null) return undefined;
  const [, first = '', month = '', last = '', hour, minute, second, zone] = match;
  const [year, day] = iso === null ? [last, first] : [first, last];
  const date = `${year}-${month}-${day}`;
  const wallMs = Date.parse(`${date}T${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}Z`);
  if (Number.isNaN(wallMs) || new Date(wallMs).toISOString().slice(0, 10) !== date) return undefined;
  const lastsMs = hour === undefined ? DAY_MS : second === undefined ? MINUTE_MS : 1_000;
  const offsets =
    zone === undefined ? [offsetAt(wallMs - DAY_MS), offsetAt(wallMs + lastsMs + DAY_MS)] : [readOffset(zone)];
  return { fromMs: wallMs - Math.max(...offsets), toMs: wallMs + lastsMs - 1 - Math.min(...offsets) };
}

/** @throws RangeError if there is no such zone. */
export function createOffsetAt(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instantMs) => {
    const parts = format.formatToParts(instantMs);
    const part = (type: Intl.DateTimeFormatPartTypes): number =>
      Number(parts.find((found) => found.type === type)?.value);
    const wallMs = Date.UTC(
      ...([part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')] as const),
    );
    return wallMs - Math.floor(instantMs / 1_000) * 1_000;
  };
}

function readOffset(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * MINUTE_MS;
}
