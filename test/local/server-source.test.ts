import { decidePostgresSource, decideTemporalSource } from '../../src/local/index.js';

describe('which servers a stack starts itself', () => {
  it.each([
    ['nothing set: it starts its own Temporal', {}, { kind: 'own', why: 'TEMPORAL_ADDRESS is not set' }],
    ['an empty address counts as unset', { TEMPORAL_ADDRESS: '' }, { kind: 'own', why: 'TEMPORAL_ADDRESS is not set' }],
    [
      'an address set: it uses that server and starts nothing',
      { TEMPORAL_ADDRESS: 'temporal.example:7233' },
      { kind: 'running', address: 'temporal.example:7233', why: 'TEMPORAL_ADDRESS is set' },
    ],
  ])('%s', (_title, env, expected) => {
    expect(decideTemporalSource(env)).toEqual(expected);
  });

  it('decides about PostgreSQL in the same way, by its own variable', () => {
    const env = { TRAMITA_DATABASE_URL: 'postgresql://db.example/tramita', TEMPORAL_ADDRESS: '' };
    expect(decidePostgresSource(env)).toMatchObject({ kind: 'running', address: 'postgresql://db.example/tramita' });
    expect(decidePostgresSource({})).toMatchObject({ kind: 'own' });
  });
});
