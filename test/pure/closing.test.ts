/** Rows that change without an answer of their own: by doubt, and by free evidence. No database is needed. */
import { decideClosing, decideDoubt } from '../../src/ledger/decide-closing.js';
import type { Intent, IntentState } from '../../src/ledger/index.js';
import { amount, makeIntent } from '../support/kept-intent.js';

const NOW = Date.parse('2026-03-10T15:00:00Z');

describe('a doubt', () => {
  const adopted = { state: 'pending', evidence: { adopted: 'status' } } as const;

  test('about work that was only adopted makes its row unknown again, because nothing confirmed it', () => {
    const row = makeIntent({ ...adopted, requestId: 'r', settledAtMs: 5 });
    expect(decideDoubt(row, 'unconfirmed', NOW)).toEqual({
      ...row,
      state: 'unknown',
      reason: expect.stringContaining('nothing has confirmed that') as string,
    });
  });

  test('about work without a request id makes its row unknown again, although its own 202 accepted it', () => {
    const row = makeIntent({ state: 'pending', requestId: null, httpStatus: 202 });
    expect(decideDoubt(row, 'unreadable', NOW)).toEqual({
      ...row,
      state: 'unknown',
      reason: expect.stringContaining('reading its status was charged before') as string,
    });
  });

  test('about adopted work makes its row unknown again for either reason', () => {
    expect(decideDoubt(makeIntent({ ...adopted, requestId: 'r' }), 'unreadable', NOW)?.state).toBe('unknown');
    expect(decideDoubt(makeIntent({ ...adopted, requestId: null }), 'unconfirmed', NOW)?.state).toBe('unknown');
  });

  test.each(['unconfirmed', 'unreadable'] as const)(
    'about work whose answer was lost before makes its row charged_lost again, to be decided anew (%s)',
    (doubt) => {
      const first = { decision: 'charged', by: 'ana', note: null, requestId: 'mistyped', at: 'then' };
      const row = makeIntent({ state: 'pending', requestId: 'mistyped', charged: amount(500), reserved: amount(0) });
      expect(decideDoubt({ ...row, evidence: { ...first, was: 'charged_lost' } }, doubt, NOW)).toMatchObject({
        state: 'charged_lost',
        charged: 500,
        settledAtMs: NOW,
        evidence: { was: 'charged_lost', earlier: [first] },
      });
    },
  );

  test('does not change pending work that its own 202 accepted and that can be polled', () => {
    expect(decideDoubt(makeIntent({ state: 'pending', requestId: 'r' }), 'unreadable', NOW)).toBeUndefined();
    expect(decideDoubt(makeIntent({ state: 'pending', requestId: null }), 'unconfirmed', NOW)).toBeUndefined();
  });

  test.each<IntentState>(['open', 'unknown', 'done', 'rejected', 'not_sent', 'charged_lost', 'closed'])(
    'does not change a row that is %s, because it is not pending',
    (state) => {
      const row = makeIntent({ state, requestId: null, evidence: { adopted: 'status' } });
      expect(decideDoubt(row, 'unreadable', NOW)).toBeUndefined();
      expect(decideDoubt(row, 'unconfirmed', NOW)).toBeUndefined();
    },
  );
});

describe('free evidence', () => {
  const close = (row: Intent, keepsReserve: boolean) =>
    decideClosing(row, { proof: { proof: 'balance', seen: 'unchanged' }, keepsReserve }, NOW);

  test('that nothing was charged closes the row, frees its reserve, and records its proof', () => {
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

  test('that the call may be repeated although it may have been paid closes the row and keeps its reserve', () => {
    const closed = close(makeIntent({ state: 'unknown', reserved: amount(5_000) }), true);
    expect(closed).toMatchObject({ state: 'closed', reserved: 5_000, evidence: { decision: 'repeat' } });
  });

  test('closes a charged_lost row only if no person has decided about it', () => {
    expect(close(makeIntent({ state: 'charged_lost' }), false)?.state).toBe('closed');
    expect(close(makeIntent({ state: 'charged_lost', evidence: { decision: 'charged' } }), false)).toBeUndefined();
  });

  test.each<IntentState>(['open', 'pending', 'done', 'rejected', 'not_sent', 'closed'])(
    'does not change a row that has become %s meanwhile',
    (state) => {
      expect(close(makeIntent({ state }), false)).toBeUndefined();
      expect(close(makeIntent({ state }), true)).toBeUndefined();
    },
  );
});
