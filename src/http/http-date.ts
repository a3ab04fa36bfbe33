/**
 * HTTP dates in the three forms that a recipient must accept (RFC 9110 5.6.7): IMF-fixdate, RFC 850, asctime. Impossible
 * dates are refused, which `Date.parse` would not do. Pure.
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const IMF_FIXDATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const RFC_850 =
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d{2})-([A-Z][a-z]{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2}) GMT$/;
const ASCTIME = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([ \d]\d) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;

/** Epoch ms; undefined when the text is in none of the forms. `nowMs` only decides the century of two-digit years. */
export function readHttpDateMs(text: string, nowMs: number): number | undefined {
  const value = text.trim();
  const imf = IMF_FIXDATE.exec(value);
  if (imf !== null) {
    const [, day, month, year, hour, minute, second] = imf;
    return instantMs({ year: Number(year), month, day, hour, minute, second });
  }
  const rfc850 = RFC_850.exec(value);
  if (rfc850 !== null) {
    const [, day, month, year, hour, minute, second] = rfc850;
    return instantMs({ year: fullYear(Number(year), nowMs), month, day, hour, minute, second });
  }
  const asctime = ASCTIME.exec(value);
  if (asctime === null) return undefined;
  const [, month, day, hour, minute, second, year] = asctime;
  return instantMs({ year: Number(year), month, day, hour, minute, second });
}

interface Parts {
  readonly year: number;
  readonly month: string | undefined;
  readonly day: string | undefined;
  readonly hour: string | undefined;
  readonly minute: string | undefined;
  readonly second: string | undefined;
}

function instantMs(parts: Parts): number | undefined {
  const month = MONTHS.indexOf(parts.month ?? '');
  const [day, hour, minute, second] = [parts.day, parts.hour, parts.minute, parts.second].map(Number);
  if (month === -1 || day === undefined || hour === undefined || minute === undefined || second === undefined)
    return undefined;
  if (hour > 23 || minute > 59 || second > 60) return undefined;
  const utc = new Date(Date.UTC(parts.year, month, day, hour, minute, second));
  const rolledOver = second < 60 && utc.getUTCDate() !== day;
  return day < 1 || day > 31 || rolledOver ? undefined : utc.getTime();
}

/** RFC 9110: a two-digit year that seems more than 50 years ahead is of the century before. */
function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const candidate = Math.floor(thisYear / 100) * 100 + twoDigits;
  return candidate > thisYear + 50 ? candidate - 100 : candidate;
}
