/**
 * Civil dates: `yyyy-MM-dd` strings, of no zone. Pure. A civil date never becomes a `Date`: in a process west of UTC it
 * would come back as the day before. Day arithmetic is done on day numbers.
 */
import { DAY_MS } from './timing.js';

declare const civilDateBrand: unique symbol;

/** A day of the calendar as `yyyy-MM-dd`. */
export type CivilDate = string & { readonly [civilDateBrand]: true };

const FORM = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Undefined when `text` is not a day that exists, written `yyyy-MM-dd`. */
export function parseCivilDate(text: unknown): CivilDate | undefined {
  const match = typeof text === 'string' ? FORM.exec(text.trim()) : null;
  if (match === null) return undefined;
  return civilDate(Number(match[1]), Number(match[2]), Number(match[3]));
}

/** Undefined when there is no such day; years 1000 to 9999. */
function civilDate(year: number, month: number, day: number): CivilDate | undefined {
  if (!(year >= 1000 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month))) {
    return undefined;
  }
  return `${year}-${two(month)}-${two(day)}` as CivilDate;
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

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
