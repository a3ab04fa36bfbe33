/**
 * HTTP dates in the three forms that a recipient must accept (RFC 9110 5.6.7): IMF-fixdate, RFC 850, asctime. Impossible
 * dates are refused, which `Date.parse` would not do. Pure.
 */

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';
const MONTH = '(?<month>[A-Z][a-z]{2})';
const IMF_FIXDATE = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d{2}) ${MONTH} (?<year>\\d{4}) ${TIME} GMT`;
const RFC_850 = `(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d{2})-${MONTH}-(?<year>\\d{2}) ${TIME} GMT`;
const ASCTIME = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})`;
const FORMS = [IMF_FIXDATE, RFC_850, ASCTIME].map((form) => new RegExp(`^${form}$`));

/** Epoch ms; undefined when the text is in none of the forms. `nowMs` only decides the century of two-digit years. */
export function readHttpDateMs(text: string, nowMs: number): number | undefined {
  const value = text.trim();
  for (const form of FORMS) {
    const parts = form.exec(value)?.groups;
    if (parts !== undefined) return instantMs(parts, nowMs);
  }
  return undefined;
}

function instantMs(parts: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const { year = '', month = '' } = parts;
  const monthIndex = MONTHS.indexOf(month);
  const [day = NaN, hour = NaN, minute = NaN, second = NaN] = ['day', 'hour', 'minute', 'second'].map((name) =>
    Number(parts[name]),
  );
  if (monthIndex === -1 || hour > 23 || minute > 59 || second > 60) return undefined;
  const whole = year.length === 2 ? fullYear(Number(year), nowMs) : Number(year);
  const utc = new Date(Date.UTC(whole, monthIndex, day, hour, minute, second));
  const rolledOver = second < 60 && utc.getUTCDate() !== day;
  return day < 1 || day > 31 || rolledOver ? undefined : utc.getTime();
}

/** RFC 9110: a two-digit year that seems more than 50 years ahead is of the century before. */
function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const candidate = Math.floor(thisYear / 100) * 100 + twoDigits;
  return candidate > thisYear + 50 ? candidate - 100 : candidate;
}
