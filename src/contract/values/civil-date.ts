/**
 * Civil dates: `yyyy-MM-dd` strings, of no zone. Pure. A civil date never becomes a `Date`: in a process west of UTC it
 * would come back as the day before. Day arithmetic is done on day numbers.
 */
import { DAY_MS } from './timing.js';

declare const civilDateBrand: unique symbol;

/** A day of the calendar as `yyyy-MM-dd`. */
export type CivilDate = string & { readonly [civilDateBrand]: true };

const FORM = /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Undefined when `text` is not a day that exists, written `yyyy-MM-dd`; years 1000 to 9999. */
export function parseCivilDate(text: unknown): CivilDate | undefined {
  const date = typeof text === 'string' ? (text.trim() as CivilDate) : undefined;
  if (date === undefined || !FORM.test(date)) return undefined;
  // The 30th of February counts on into March.
  return new Date(dayNumber(date) * DAY_MS).getUTCDate() === Number(date.slice(8)) ? date : undefined;
}

/** The day `days` later, or earlier when negative. */
export function addCivilDays(date: CivilDate, days: number): CivilDate {
  return new Date((dayNumber(date) + days) * DAY_MS).toISOString().slice(0, 10) as CivilDate;
}

/** Days from one to the other, both counted: 1 for the same day, negative or zero when `to` is before `from`. */
export function countCivilDays(from: CivilDate, to: CivilDate): number {
  return dayNumber(to) - dayNumber(from) + 1;
}

/** Days since 1970-01-01, only by UTC arithmetic. */
function dayNumber(date: CivilDate): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return Date.UTC(year, month - 1, day) / DAY_MS;
}
