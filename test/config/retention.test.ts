/** Retention settings: their defaults, the file, and their earlier names. */
import { describe as describeConfig } from '../../src/config/index.js';
import { configOf } from './support.js';

const shown = (file: unknown): unknown => describeConfig(configOf({ file }))['retention'];
const DEFAULTS = {
  answers: '400d',
  records: '1825d',
  events: '90d',
  eventKeys: '730d',
  files: '1825d',
  archive: '400d',
  accessLog: '1825d',
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
