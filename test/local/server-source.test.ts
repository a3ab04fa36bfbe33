import { decidePostgresSource, decideTemporalSource } from '../../src/local/stack/server-source.js';

describe('the server that a stack uses', () => {
  it.each([
    ['is its own Temporal when no address is set', {}, { kind: 'own', why: 'TEMPORAL_ADDRESS is not set' }],
    [
      'is its own Temporal when the address is empty',
      { TEMPORAL_ADDRESS: '' },
      { kind: 'own', why: 'TEMPORAL_ADDRESS is not set' },
    ],
    [
      'is the running Temporal at the address that is set',
      { TEMPORAL_ADDRESS: 'temporal.example:7233' },
      { kind: 'running', address: 'temporal.example:7233', why: 'TEMPORAL_ADDRESS is set' },
    ],
  ])('%s', (_title, env, expected) => {
    expect(decideTemporalSource(env)).toEqual(expected);
  });

  it('is decided for PostgreSQL in the same way, by TRAMITA_DATABASE_URL', () => {
    const env = { TRAMITA_DATABASE_URL: 'postgresql://db.example/tramita', TEMPORAL_ADDRESS: '' };
    expect(decidePostgresSource(env)).toMatchObject({ kind: 'running', address: 'postgresql://db.example/tramita' });
    expect(decidePostgresSource({})).toMatchObject({ kind: 'own' });
  });
});
