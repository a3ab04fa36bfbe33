/**
 * Reads times as the service writes them (all forms observed) into instants. Forms without a zone are America/Sao_Paulo
 * wall time. Pure: `Date.UTC` is arithmetic, no clock is read.
 */
import { parseCivilDate, type CivilDate } from './values/index.js';

/** America/Sao_Paulo has been UTC-3 all year since 2019 (tz database). Older wall times may be off by 1 h. */
const SAO_PAULO_OFFSET_MS = -3 * 3_600_000;

const ZONED = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)$/;
const WALL = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/;
const SLASHED_DAY = /^(\d{2})\/(\d{2})\/(\d{4})(?=[T ]|$)/;

/**
 * Epoch milliseconds of a time with a time of day; undefined for civil dates, `HH:MM:SS` alone, a day that does not exist, and
 * anything else.
 */
export function readInstantMs(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const text = withIsoDay(value);
  const zoned = ZONED.exec(text);
  if (zoned !== null) return instant(zoned, offsetMs(zoned[8] ?? 'Z'));
  const wall = WALL.exec(text);
  return wall === null ? undefined : instant(wall, SAO_PAULO_OFFSET_MS);
}

/** `dd/MM/yyyy` → `yyyy-MM-dd`, with whatever follows it. */
function withIsoDay(text: string): string {
  return text.trim().replace(SLASHED_DAY, '$3-$2-$1');
}

function instant(parts: RegExpExecArray, offset: number): number | undefined {
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((index) => Number(parts[index] ?? '0'));
  const fraction = Math.floor(Number(`0.${parts[7] ?? '0'}`) * 1_000);
  const utc = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second, fraction);
  const isDay = parseCivilDate(parts[0].slice(0, 10)) !== undefined;
  const valid = isDay && (hour ?? 0) <= 23 && (minute ?? 0) <= 59 && (second ?? 0) <= 60;
  return valid && Number.isFinite(utc) ? utc - offset : undefined;
}

function offsetMs(zone: string): number {
  if (zone === 'Z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone.replace(/\D/g, '');
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4))) * 60_000;
}

/** By the rules of the zone: before 2019 summers were UTC-2, and one hour off may be another day. */
const SAO_PAULO_DAY = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/**
 * The civil date in any form that is read here: the day itself, the day of a wall time as written, or the day that an
 * instant falls on in America/Sao_Paulo. Undefined for `HH:MM:SS` alone and for days that do not exist.
 */
export function readCivilDate(value: unknown): CivilDate | undefined {
  if (typeof value !== 'string') return undefined;
  const text = withIsoDay(value);
  if (ZONED.test(text)) {
    const ms = readInstantMs(text);
    return ms === undefined ? undefined : parseCivilDate(SAO_PAULO_DAY.format(ms));
  }
  return parseCivilDate(WALL.test(text) ? text.slice(0, 10) : text);
}
