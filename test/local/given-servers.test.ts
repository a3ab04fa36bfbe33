import { variableIn } from '../../src/local/stack/stack-context.js';

it('a stack uses the servers that the environment names; the empty string names none', () => {
  const env = { TEMPORAL_ADDRESS: 'temporal.example:7233', TRAMITA_DATABASE_URL: '' };
  expect(variableIn(env, 'TEMPORAL_ADDRESS')).toBe('temporal.example:7233');
  expect(variableIn(env, 'TRAMITA_DATABASE_URL')).toBeUndefined();
  expect(variableIn({}, 'TEMPORAL_ADDRESS')).toBeUndefined();
});
