import { isParked } from '../../src/cli/wait-for-flow.js';

describe('a flow needs a person', () => {
  it.each([
    ['once its attention asks for one', 'parked', 'unknown-charge', true],
    ['not in the first minute of an unknown charge', 'parked', null, false],
    ['not for an attention that only informs', 'waiting', 'unexpected-charge', false],
    ['not in that minute, with an attention that only informs', 'parked', 'unexpected-charge', false],
  ] as const)('%s', (_when, state, attention, expected) => {
    expect(isParked({ state, attention })).toBe(expected);
  });
});
