/** Rows that are moved without an answer of their own: by doubt, and by free evidence. Without a database. */
import { decideClosing, decideDoubt } from '../../src/ledger/decide-closing.js';
import type { Intent, IntentState } from '../../src/ledger/index.js';
import { amount, makeIntent } from '../support/kept-intent.js';

const NOW = Date.parse('2026-03-10T15:00:00Z');

describe('a doubt', () => {
  const adopted = { state: 'pending', evidence: { adopted: 'status' } } as const;

  test('about work that was only adopted makes it unknown again: nobody knows that the service has it', () => {
    const row = makeIntent({ ...adopted, requestId: 'r', settledAtMs: 5 });
    expect(decideDoubt(row, 'unconfirmed')).toEqual({
      ...row,
      state: 'unknown',
      reason: expect.stringContaining('nothing has confirmed that') as string,
    });
  });

  test('about work that has nothing to be asked by makes it unknown again, though its own 202 accepted it', () => {
    const row = makeIntent({ state: 'pending', requestId: null, httpStatus: 202 });
    expect(decideDoubt(row, 'unreadable')).toEqual({
      ...row,
      state: 'unknown',
      reason: expect.stringContaining('its status has charged before') as string,
    });
  });

  test('about adopted work holds whatever it is', () => {
    expect(decideDoubt(makeIntent({ ...adopted, requestId: 'r' }), 'unreadable')?.state).toBe('unknown');
    expect(decideDoubt(makeIntent({ ...adopted, requestId: null }), 'unconfirmed')?.state).toBe('unknown');
  });

  test('leaves work alone that its own 202 accepted, and that can be asked for: its charge is certain', () => {
    expect(decideDoubt(makeIntent({ state: 'pending', requestId: 'r' }), 'unreadable')).toBeUndefined();
    expect(decideDoubt(makeIntent({ state: 'pending', requestId: null }), 'unconfirmed')).toBeUndefined();
  });

  test.each<IntentState>(['open', 'unknown', 'done', 'rejected', 'not_sent', 'charged_lost', 'closed'])(
    'leaves a row alone that is %s: it is not pending, or has moved meanwhile',
    (state) => {
      const row = makeIntent({ state, requestId: null, evidence: { adopted: 'status' } });
      expect(decideDoubt(row, 'unreadable')).toBeUndefined();
      expect(decideDoubt(row, 'unconfirmed')).toBeUndefined();
    },
  );
});

describe('free evidence', () => {
  const close = (row: Intent, keepsReserve: boolean) =>
    decideClosing(row, { proof: { proof: 'balance', seen: 'unchanged' }, keepsReserve }, NOW);

  test('that nothing was charged closes the row, frees its money, and says by what', () => {
    const row = makeIntent({ state: 'unknown', reserved: amount(5_000), evidence: { looked: 'x', proof: 'older' } });
    expect(close(row, false)).toEqual({
      ...row,
      state: 'closed',
      reserved: 0,
      settledAtMs: NOW,
      evidence: {
        looked: 'x',
        proof: 'balance',
        seen: 'unchanged',
        decision: 'not-charged',
        by: 'tramita (evidence)',
        at: '2026-03-10T15:00:00.000Z',
      },
    });
  });

  test('that the call may be repeated though it may have been paid keeps its money counted', () => {
    const closed = close(makeIntent({ state: 'unknown', reserved: amount(5_000) }), true);
    expect(closed).toMatchObject({ state: 'closed', reserved: 5_000, evidence: { decision: 'repeat' } });
  });

  test('closes what was paid and lost only while nobody has decided about it', () => {
    expect(close(makeIntent({ state: 'charged_lost' }), false)?.state).toBe('closed');
    expect(close(makeIntent({ state: 'charged_lost', evidence: { decision: 'charged' } }), false)).toBeUndefined();
  });

  test.each<IntentState>(['open', 'pending', 'done', 'rejected', 'not_sent', 'closed'])(
    'about a row that has become %s meanwhile changes nothing',
    (state) => {
      expect(close(makeIntent({ state }), false)).toBeUndefined();
      expect(close(makeIntent({ state }), true)).toBeUndefined();
    },
  );
});
