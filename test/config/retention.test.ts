/** How long each place keeps what it has: defaults, the file, and the names of before. */
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

test('without a setting each place has its default', () => {
  expect(shown({})).toEqual(DEFAULTS);
});

test('a setting is a duration, or forever', () => {
  expect(shown({ retention: { answers: '90d', files: 'forever', events: '36h' } })).toEqual({
    ...DEFAULTS,
    answers: '90d',
    files: 'forever',
    events: '129600s',
  });
});

test('the names of before say the same; keys are kept as long as bodies', () => {
  expect(shown({ archiveDays: 100, eventBodiesDays: 800 })).toEqual({
    ...DEFAULTS,
    archive: '100d',
    events: '800d',
    eventKeys: '800d',
  });
  expect(shown({ retention: { events: 'forever' } })).toMatchObject({ events: 'forever', eventKeys: 'forever' });
});
