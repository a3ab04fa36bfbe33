/** What a settlement does to a ledger row, and what the states of a row mean. No database is needed. */
import { applySettlement, decideSettlement } from '../../src/ledger/decide-settlement.js';
import {
  MAY_BE_PAID,
  becomeUnknown,
  decisionOf,
  followRoot,
  isFinal,
  reservedIn,
  rootOf,
} from '../../src/ledger/states.js';
import type { Intent, IntentState, Settlement } from '../../src/ledger/index.js';
import type { Amount } from '../../src/contract/index.js';
import { freeStep } from '../../src/contract/values/index.js';
import { amount, makeIntent } from '../support/kept-intent.js';

const NEWS: readonly Settlement['state'][] = ['pending', 'done', 'rejected', 'not_sent', 'charged_lost', 'unknown'];
const effect = (intent: Partial<Intent>, settlement: Settlement) => decideSettlement(makeIntent(intent), settlement);

describe('a settlement', () => {
  test.each<IntentState>(['open', 'unknown'])('always applies to a row that is %s', (state) => {
    for (const news of NEWS) expect(effect({ state }, { state: news })).toBe('apply');
  });

  test('of a pending row applies, except "not_sent": the service has accepted the work', () => {
    for (const state of NEWS) {
      expect(effect({ state: 'pending' }, { state })).toBe(state === 'not_sent' ? 'conflict' : 'apply');
    }
  });

  test('that comes late and knows less than a pending row changes nothing: from evidence, or an end that the call does not know', () => {
    const late = (state: Settlement['state'], source: 'call' | 'evidence') =>
      decideSettlement(makeIntent({ state: 'pending' }), { state }, source);
    for (const state of NEWS) {
      const sent = state !== 'not_sent';
      expect(late(state, 'evidence')).toBe(sent ? 'same' : 'conflict');
      expect(late(state, 'call')).toBe(state === 'unknown' ? 'same' : sent ? 'apply' : 'conflict');
    }
  });

  test.each<IntentState>(['done', 'rejected', 'charged_lost'])(
    'that repeats what a row in state %s has changes nothing',
    (state) => {
      const same = { state, charged: amount(500), requestId: 'r', finalState: 'done' };
      expect(effect(same, { ...same, state: state as Settlement['state'] })).toBe('same');
      expect(effect(same, { state: state as Settlement['state'] })).toBe('same');
      expect(effect({ state }, { ...same, state: state as Settlement['state'] })).toBe('same');
    },
  );

  test.each([{ charged: amount(501) }, { requestId: 'other' }, { finalState: 'failed' }])(
    'that contradicts the facts of the row is a conflict (%p)',
    (change) => {
      const row = { state: 'done' as const, charged: amount(500), requestId: 'r', finalState: 'done' };
      expect(effect(row, { state: 'done', ...change })).toBe('conflict');
      expect(effect(row, { state: 'pending', ...change })).toBe('conflict');
      expect(effect(row, { state: 'unknown', ...change })).toBe('same');
    },
  );

  test('that knows less than the row changes nothing', () => {
    for (const state of ['done', 'rejected', 'charged_lost'] as const) {
      expect(effect({ state, httpStatus: 200 }, { state: 'unknown' })).toBe('same');
      expect(effect({ state, httpStatus: 200 }, { state: 'pending' })).toBe('same');
    }
    expect(effect({ state: 'not_sent' }, { state: 'unknown' })).toBe('same');
  });

  test('whose state contradicts a settled row is a conflict', () => {
    expect(effect({ state: 'done' }, { state: 'rejected' })).toBe('conflict');
    expect(effect({ state: 'rejected' }, { state: 'done' })).toBe('conflict');
    expect(effect({ state: 'not_sent' }, { state: 'pending' })).toBe('conflict');
    expect(effect({ state: 'not_sent' }, { state: 'done' })).toBe('conflict');
    expect(effect({ state: 'charged_lost', httpStatus: 200 }, { state: 'rejected' })).toBe('conflict');
  });

  test('of a closed row is a conflict if it reports a charge, and changes nothing otherwise', () => {
    for (const state of ['done', 'pending', 'charged_lost'] as const) {
      expect(effect({ state: 'closed' }, { state })).toBe('conflict');
    }
    for (const state of ['unknown', 'not_sent'] as const) expect(effect({ state: 'closed' }, { state })).toBe('same');
    expect(effect({ state: 'closed' }, { state: 'rejected' })).toBe('same');
    expect(effect({ state: 'closed' }, { state: 'rejected', charged: null })).toBe('same');
    expect(effect({ state: 'closed' }, { state: 'rejected', charged: amount(0) })).toBe('same');
    expect(effect({ state: 'closed' }, { state: 'rejected', charged: amount(1) })).toBe('conflict');
  });
});

describe('a row whose paid answer was lost', () => {
  const lost = { state: 'charged_lost', httpStatus: 200 } as const;
  const found = { proof: 'request id' };

  test.each(['pending', 'done'] as const)('becomes %s by evidence', (state) => {
    expect(effect(lost, { state, evidence: found })).toBe('apply');
  });

  test('conflicts with an answer without evidence, and with evidence of a refusal or of an unsent call', () => {
    expect(effect(lost, { state: 'done' })).toBe('conflict');
    expect(effect(lost, { state: 'rejected', evidence: found })).toBe('conflict');
    expect(effect(lost, { state: 'not_sent', evidence: found })).toBe('conflict');
  });

  test('stays lost once a person has decided', () => {
    const decided = { ...lost, evidence: { decision: 'charged' } };
    expect(effect(decided, { state: 'done', evidence: found })).toBe('conflict');
  });

  test('accepts its own late answer if only the balance proved the charge', () => {
    const byBalance = { state: 'charged_lost', httpStatus: null, evidence: { proof: 'balance' } } as const;
    expect(effect(byBalance, { state: 'done' })).toBe('apply');
    expect(effect({ ...byBalance, httpStatus: 200 }, { state: 'done' })).toBe('conflict');
    expect(effect({ ...byBalance, evidence: { proof: 'other' } }, { state: 'done' })).toBe('conflict');
    expect(effect({ ...byBalance, evidence: { proof: 'balance', decision: 'charged' } }, { state: 'done' })).toBe(
      'conflict',
    );
  });
});

describe('the row after a settlement', () => {
  const after = (before: Partial<Intent>, settlement: Settlement, bodySha256?: string) =>
    applySettlement(makeIntent(before), settlement, { nowMs: 9_000, bodySha256, listedPrice: undefined });

  const FACTS = {
    balanceAfter: amount(7),
    requestId: 'r',
    metaRequestId: 'm',
    searchLogId: 's',
    httpStatus: 200,
    errorCode: 'E',
    reason: 'why',
    finalState: 'done',
    rawStatus: 'FEITO',
    serviceOpenedAtMs: 5,
  };

  test('has the facts of the settlement', () => {
    expect(after({}, { state: 'done', charged: amount(3), ...FACTS }, 'hash')).toMatchObject({
      state: 'done',
      charged: 3,
      bodySha256: 'hash',
      settledAtMs: 9_000,
      reserved: 0,
      ...FACTS,
    });
  });

  test('keeps its earlier facts where the settlement omits them or has null', () => {
    const before = { ...FACTS, charged: amount(3), bodySha256: 'hash' };
    const silent = Object.fromEntries(Object.keys(FACTS).map((name) => [name, null]));
    expect(after(before, { state: 'done' })).toMatchObject(before);
    expect(after(before, { state: 'done', charged: null, ...silent })).toMatchObject(before);
  });

  test.each([
    [null, 5, 5],
    [5, null, 5],
    [5, 0, 5],
    [0, 5, 5],
    [null, null, null],
  ])('counts one charge for a 202 and its final answer: %p and %p make %p', (first, then, charged) => {
    const pending = { state: 'pending', charged: first === null ? null : amount(first) } as const;
    expect(after(pending, { state: 'done', charged: then === null ? null : amount(then) }).charged).toBe(charged);
  });

  test.each<[Settlement['state'], number | null]>([
    ['pending', null],
    ['unknown', null],
    ['done', 9_000],
    ['rejected', 9_000],
    ['not_sent', 9_000],
    ['charged_lost', 9_000],
  ])('that is %s is settled at %p', (state, settledAtMs) => {
    expect(after({ settledAtMs: 1 }, { state }).settledAtMs).toBe(settledAtMs);
  });

  test('merges new evidence into its earlier evidence', () => {
    expect(after({ evidence: { a: 1, b: 1 } }, { state: 'done', evidence: { b: 2 } }).evidence).toEqual({ a: 1, b: 2 });
    expect(after({ evidence: { a: 1 } }, { state: 'done' }).evidence).toEqual({ a: 1 });
    expect(after({}, { state: 'done', evidence: { b: 2 } }).evidence).toEqual({ b: 2 });
  });
});

describe('the charge after a settlement', () => {
  const LISTED = amount(500);
  const charge = (before: Partial<Intent>, settlement: Settlement, listedPrice: Amount | null = LISTED) => {
    const { charged, amountSource, reserved } = applySettlement(makeIntent(before), settlement, {
      nowMs: 9_000,
      bodySha256: undefined,
      listedPrice: listedPrice ?? undefined,
    });
    return { charged, amountSource, reserved };
  };
  const known = (charged: number, amountSource: Intent['amountSource']) => ({ charged, amountSource, reserved: 0 });
  const unknown = { charged: null, amountSource: null, reserved: 5_000 };

  test('is the amount of the answer, from the source "told" by default', () => {
    expect(charge({}, { state: 'done', charged: amount(3) })).toEqual(known(3, 'told'));
    expect(charge({}, { state: 'done', charged: amount(3), amountSource: 'evidence' })).toEqual(known(3, 'evidence'));
  });

  test('is zero if a final answer says zero, not the listed price', () => {
    expect(charge({}, { state: 'done', httpStatus: 200, charged: amount(0) })).toEqual(known(0, 'told'));
  });

  test.each([
    [3, 5, known(5, 'told')],
    [5, 3, known(5, 'evidence')],
    [5, 5, known(5, 'evidence')],
  ])('is the larger of two amounts (%d, then %d), with the source of that amount', (first, then, after) => {
    const before = { state: 'unknown', charged: amount(first), amountSource: 'evidence' } as const;
    expect(charge(before, { state: 'done', charged: amount(then) })).toEqual(after);
  });

  test('is the listed price, from the source "listed", if the work is done and no amount was reported', () => {
    expect(charge({}, { state: 'done' })).toEqual(known(500, 'listed'));
  });

  test.each<[string, Partial<Intent>, Settlement, Amount | null, object]>([
    ['the interface lists no price', {}, { state: 'done' }, null, unknown],
    ['the work is not done', {}, { state: 'pending' }, LISTED, unknown],
    ['the outcome is unknown', {}, { state: 'unknown' }, LISTED, unknown],
    ['the answer was lost', {}, { state: 'charged_lost' }, LISTED, unknown],
    ['the call was free', { reserved: amount(0) }, { state: 'done' }, LISTED, { ...unknown, reserved: 0 }],
  ])('is not taken from the price list if %s', (_why, before, settlement, listedPrice, after) => {
    expect(charge(before, settlement, listedPrice)).toEqual(after);
  });

  test.each<[string, Settlement]>([
    ['a pending row', { state: 'pending', charged: amount(0) }],
    ['a 202', { state: 'pending', httpStatus: 202, charged: amount(0) }],
    ['a 202 whose body was lost', { state: 'charged_lost', httpStatus: 202, charged: amount(0) }],
  ])('is unknown after the zero of %s, which only says that nothing was debited yet', (_what, settlement) => {
    expect(charge({}, settlement)).toEqual(unknown);
  });

  test('is kept from a pending row unless it is zero', () => {
    expect(charge({}, { state: 'pending', charged: amount(7) })).toMatchObject({ charged: 7, amountSource: 'told' });
    expect(charge({ state: 'pending', charged: amount(0) }, { state: 'done' })).toEqual(known(500, 'listed'));
    expect(charge({ httpStatus: 202, charged: amount(0) }, { state: 'done' })).toEqual(known(500, 'listed'));
  });
});

describe('a ledger row', () => {
  test('may be paid in exactly five states, after which its step sends no other call', () => {
    expect([...MAY_BE_PAID].sort()).toEqual(['charged_lost', 'done', 'open', 'pending', 'unknown']);
  });

  test('of a charged free read has a step of its own', () => {
    expect(freeStep('getBalance')).toBe('free/getBalance');
  });

  test('that becomes unknown keeps its reserve and its first reason', () => {
    const row = makeIntent({ state: 'open' });
    expect(becomeUnknown(row, 'the worker died')).toEqual({ ...row, state: 'unknown', reason: 'the worker died' });
    expect(becomeUnknown({ ...row, reason: 'ECONNRESET' }, 'the worker died').reason).toBe('ECONNRESET');
  });

  test.each<[IntentState, boolean]>([
    ['open', false],
    ['pending', false],
    ['unknown', false],
    ['charged_lost', false],
    ['done', true],
    ['rejected', true],
    ['not_sent', true],
    ['closed', true],
  ])('that is %s is final: %p', (state, final) => {
    expect(isFinal(state)).toBe(final);
  });

  test.each<[IntentState, number | null, number]>([
    ['open', null, 100],
    ['pending', 30, 100],
    ['unknown', null, 100],
    ['closed', null, 100],
    ['rejected', null, 0],
    ['not_sent', null, 0],
    ['done', null, 100],
    ['done', 0, 0],
    ['done', 30, 0],
    ['charged_lost', null, 100],
    ['charged_lost', 30, 0],
  ])('that is %s and was charged %p keeps %d reserved', (state, charged, reserved) => {
    expect(reservedIn(state, amount(100), charged === null ? null : amount(charged))).toBe(reserved);
  });

  test('that joined another row has its charge on the root row', () => {
    expect(rootOf(makeIntent())).toBe('own');
    expect(rootOf(makeIntent({ joined: 'root' }))).toBe('root');
  });

  test('has a decision only if its evidence has one', () => {
    expect(decisionOf(makeIntent())).toBeUndefined();
    expect(decisionOf(makeIntent({ evidence: { proof: 'balance' } }))).toBeUndefined();
    expect(decisionOf(makeIntent({ evidence: { decision: 'abandon' } }))).toBe('abandon');
  });

  test('that joined another row follows the facts of its root, without the money', () => {
    const copy = makeIntent({ intentId: 'copy', joined: 'root', charged: amount(0), reserved: amount(0) });
    const root = makeIntent({
      intentId: 'root',
      state: 'done',
      requestId: 'r',
      metaRequestId: 'm',
      searchLogId: 's',
      httpStatus: 200,
      errorCode: 'E',
      reason: 'why',
      bodySha256: 'hash',
      finalState: 'done',
      rawStatus: 'FEITO',
      settledAtMs: 9,
      evidence: { proof: 'request id' },
      charged: amount(500),
      balanceAfter: amount(9),
      workflowId: 'other',
    });
    const followed = followRoot(copy, root);
    expect(followed).toEqual({
      ...root,
      intentId: 'copy',
      joined: 'root',
      workflowId: 'flow',
      charged: 0,
      reserved: 0,
      balanceAfter: null,
    });
  });
});
