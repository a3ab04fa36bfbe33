/**
 * Reads times as the service writes them (all forms observed) into instants. Forms without a zone are America/Sao_Paulo
 * wall time. Pure: no clock is read.
 */
import { parseCivilDate, type CivilDate } from './values/index.js';

/** America/Sao_Paulo has been UTC-3 all year since 2019 (tz database). Older wall times may be off by 1 h. */
const SAO_PAULO = '-03:00';

/** Day, time of day, seconds, their fraction, and the zone if one is given. */
const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/;
const SLASHED_DAY = /^(\d{2})\/(\d{2})\/(\d{4})(?=[T ]|$)/;

/**
 * Epoch milliseconds of a time with a time of day; undefined for civil dates, `HH:MM:SS` alone, a day that does not exist, and
 * anything else.
 */
export function readInstantMs(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const [, day = '', time = '', seconds = '00', fraction = '', zone = SAO_PAULO] = TIME.exec(withIsoDay(value)) ?? [];
  // JavaScript reads the 30th of February, and 24:00, as a time of the next day. A leap second has the number 60.
  if (parseCivilDate(day) === undefined || time >= '24' || seconds > '60') return undefined;
  const ms = Date.parse(`${day}T${time}${isoZone(zone)}`);
  return Number.isNaN(ms) ? undefined : ms + Number(seconds) * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** `dd/MM/yyyy` → `yyyy-MM-dd`, with whatever follows it. */
function withIsoDay(text: string): string {
  return text.trim().replace(SLASHED_DAY, '$3-$2-$1');
}

/** `-03` and `-0300` → `-03:00`. */
function isoZone(zone: string): string {
  return zone.replace(/^(.\d{2}):?(\d{2})?$/, (_all, hours: string, minutes = '00') => `${hours}:${minutes}`);
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
  const [, day = text, , , , zone] = TIME.exec(text) ?? [];
  if (zone === undefined) return parseCivilDate(day);
  const ms = readInstantMs(text);
  return ms === undefined ? undefined : parseCivilDate(SAO_PAULO_DAY.format(ms));
}
