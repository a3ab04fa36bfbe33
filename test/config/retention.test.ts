/** Retention settings: their defaults, the file, and their earlier names. */
import { describe as describeConfig } from '../../src/config/index.js';
import { DAY_MS } from '../../src/contract/index.js';
import { configOf, problemsOf } from './support.js';

const shown = (file: unknown): unknown => describeConfig(configOf({ file }))['retention'];
const DEFAULTS = {
  answers: '400d',
  records: '1827d',
  events: '90d',
  eventKeys: '730d',
  files: '1827d',
  archive: '400d',
  accessLog: '1827d',
};

test('each retention has its default without a setting', () => {
  expect(shown({})).toEqual(DEFAULTS);
});

test('a retention is a duration, or "forever"', () => {
  expect(shown({ retention: { answers: '90d', files: 'forever', events: '36h' } })).toEqual({
    ...DEFAULTS,
    answers: '90d',
    files: 'forever',
    events: '129600s',
  });
});

test('the earlier names still work, and event keys are kept at least as long as events', () => {
  expect(shown({ archiveDays: 100, eventBodiesDays: 800 })).toEqual({
    ...DEFAULTS,
    archive: '100d',
    events: '800d',
    eventKeys: '800d',
  });
  expect(shown({ retention: { events: 'forever' } })).toMatchObject({ events: 'forever', eventKeys: 'forever' });
});

/** The most days that so many months have. */
function longest(months: number): number {
  const days = Array.from({ length: 4 * 366 }, (_, day) => {
    const start = new Date(Date.UTC(2024, 0, 1 + day));
    const end = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, start.getUTCDate());
    return (end - start.getTime()) / DAY_MS;
  });
  return Math.max(...days);
}

test('a time that a law counts in months or years is never a day short', () => {
  const kept = (days: number) => ({ file: { retention: { accessLog: `${days}d` } } });
  expect([problemsOf(kept(longest(6) - 1)).length, problemsOf(kept(longest(6)))]).toEqual([1, []]);
  expect(DEFAULTS.accessLog).toBe(`${longest(5 * 12)}d`);
});
