/**
 * Civil dates (`yyyy-MM-dd`, America/Sao_Paulo) and the calendar of the Union's courts: working days, the
 * recess, the suspension of deadlines. Municipal days and ad-hoc suspensions are not in it. Pure; the zone has been UTC-3
 * all year since 2019 (tz database).
 */
const DAY_MS = 86_400_000;
const ZONE_MS = 3 * 3_600_000;

/** National holidays, then those of the Union's courts (Law 5.010/1966 art. 62). */
const FIXED = new Set('01-01 04-21 05-01 09-07 10-12 11-02 11-15 11-20 12-25 08-11 11-01 12-08'.split(' '));
/** Days from Easter Sunday: Carnival Monday and Tuesday, Wednesday to Sunday of Holy Week. */
const MOVABLE = [-48, -47, -4, -3, -2, -1, 0];

export function civilDateOf(timeMs: number): string {
  return new Date(timeMs - ZONE_MS).toISOString().slice(0, 10);
}

/** The instant of a local time of day (`HH:MM`) on a civil date. */
export function instantOf(date: string, time: string): number {
  return Date.parse(`${date}T${time}:00.000Z`) + ZONE_MS;
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Whole days from `from` to `to`; negative when `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
}

/** True for a date that exists, between 1900 and 2100. */
export function isCivilDate(text: string): boolean {
  if (!/^(19|20)\d{2}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** No weekend, no holiday, and not in the recess of 20 December to 6 January. */
export function isWorkingDay(date: string): boolean {
  const day = date.slice(5);
  const weekday = new Date(Date.parse(date)).getUTCDay();
  return weekday !== 0 && weekday !== 6 && !FIXED.has(day) && !isMovable(date) && day < '12-20' && day > '01-06';
}

export function nextWorkingDay(date: string): string {
  return firstFrom(addDays(date, 1), isWorkingDay);
}

/** The day on which a deadline begins: the working day after publication, outside 20 December to 20 January (CPC 220). */
export function deadlineStart(published: string): string {
  return firstFrom(addDays(published, 1), (date) => isWorkingDay(date) && date.slice(5) > '01-20');
}

function firstFrom(date: string, holds: (date: string) => boolean): string {
  let found = date;
  while (!holds(found)) found = addDays(found, 1);
  return found;
}

function isMovable(date: string): boolean {
  return MOVABLE.includes(daysBetween(easter(Number(date.slice(0, 4))), date));
}

/** Easter Sunday by the anonymous Gregorian computus. */
function easter(year: number): string {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${year}-${two(Math.floor(f / 31))}-${two((f % 31) + 1)}`;
}
