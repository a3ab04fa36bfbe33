/** What a person may decide about a charge, and what the row becomes. No database is needed. */
import { decideCharge, type Decision, type DecisionTerms } from '../../src/ledger/decide-charge.js';
import type { Intent } from '../../src/ledger/index.js';
import { amount, makeIntent } from '../support/kept-intent.js';

const TERMS: DecisionTerms = { nowMs: Date.parse('2026-03-10T15:00:00Z'), byStatus: false };
const REQUEST_ID = '7f1f9c52-5f0b-4c0e-9b7e-0123456789ab';

function decide(intent: Partial<Intent>, decision: Omit<Decision, 'by'> & { by?: string }, terms = TERMS) {
  return decideCharge(makeIntent({ state: 'unknown', ...intent }), { by: 'ana', ...decision }, terms);
}
function changed(intent: Partial<Intent>, decision: Omit<Decision, 'by'>, terms = TERMS): Intent {
  const decided = decide(intent, decision, terms);
  if (decided.kind !== 'changed') throw new Error(`the decision was ${decided.kind}`);
  return decided.intent;
}

test('the decision "not-charged" closes the row and frees its reserve', () => {
  expect(changed({}, { decision: 'not-charged' })).toMatchObject({
    state: 'closed',
    reserved: 0,
    settledAtMs: TERMS.nowMs,
  });
});

test('the decision "abandon" closes the row and keeps its reserve, because its charge is unknown', () => {
  expect(changed({}, { decision: 'abandon' })).toMatchObject({
    state: 'closed',
    reserved: 5_000,
    settledAtMs: TERMS.nowMs,
  });
});

test('the decision "charged" with a request id makes the row pending under that id', () => {
  expect(changed({ settledAtMs: 5 }, { decision: 'charged', requestId: REQUEST_ID.toUpperCase() })).toMatchObject({
    state: 'pending',
    reserved: 5_000,
    requestId: REQUEST_ID,
    settledAtMs: null,
    evidence: { requestId: REQUEST_ID },
  });
});

test('the decision "charged" is refused with the request of another call, and accepted with that of an equal call', () => {
  const requestOf = makeIntent({ workflowId: 'call.default.getCase.1', operation: 'getCase' });
  const charged = { decision: 'charged', requestId: REQUEST_ID } as const;
  const ours = { operation: 'requestRefresh', subject: 'ours' };
  for (const other of [requestOf, { ...requestOf, ...ours, subject: 'theirs' }]) {
    expect(decide(ours, charged, { ...TERMS, requestOf: [other] })).toMatchObject({
      kind: 'refused',
      problem: expect.stringContaining(
        `request of another call, ${other.operation} of workflow "call.default.getCase.1"`,
      ) as string,
    });
  }
  expect(changed(ours, charged, { ...TERMS, requestOf: [{ ...requestOf, ...ours }] }).requestId).toBe(REQUEST_ID);
});

test('the decision "charged" is refused while a decision about another call names the request, and accepted after its end', () => {
  const charged = { decision: 'charged', requestId: REQUEST_ID } as const;
  const ours = { operation: 'requestRefresh', subject: 'ours' };
  const named = makeIntent({ ...ours, subject: 'theirs', evidence: { decision: 'charged', by: 'rui' } });
  expect(decide(ours, charged, { ...TERMS, requestOf: [{ ...named, state: 'pending' }] })).toMatchObject({
    kind: 'refused',
    problem: expect.stringMatching(
      /another call, .* "rui" named it for that call: if that was wrong, decide/,
    ) as string,
  });
  // Its end may have shown that the request was not its own.
  for (const state of ['done', 'unknown', 'closed'] as const) {
    expect(changed(ours, charged, { ...TERMS, requestOf: [{ ...named, state }] }).requestId).toBe(REQUEST_ID);
  }
});

test('the decision "charged" without a request id makes the row charged_lost, unless its status can be polled', () => {
  expect(changed({}, { decision: 'charged' })).toMatchObject({
    state: 'charged_lost',
    reserved: 5_000,
    requestId: null,
    settledAtMs: TERMS.nowMs,
  });
  expect(changed({ settledAtMs: 5 }, { decision: 'charged' }, { ...TERMS, byStatus: true })).toMatchObject({
    state: 'pending',
    reserved: 5_000,
    requestId: null,
    settledAtMs: null,
  });
});

test('the decision "charged" for adopted work with a request id keeps it pending under that id', () => {
  const adopted = { state: 'pending', evidence: { adopted: 'status' } } as const;
  expect(changed({ ...adopted, requestId: 'own', settledAtMs: 5 }, { decision: 'charged' })).toMatchObject({
    state: 'pending',
    reserved: 5_000,
    requestId: 'own',
    settledAtMs: null,
  });
  expect(changed({ ...adopted, requestId: null }, { decision: 'charged' }).state).toBe('charged_lost');
  expect(changed({ state: 'unknown', requestId: 'own' }, { decision: 'charged' }).state).toBe('charged_lost');
});

test('a row whose answer was dropped on purpose accepts only "abandon", which changes nothing', () => {
  const dropped = { state: 'done', evidence: { answerDropped: '2026-03-01T00:00:00Z', decision: 'charged' } } as const;
  expect(decide(dropped, { decision: 'abandon' })).toEqual({ kind: 'same' });
  for (const decision of ['not-charged', 'charged'] as const) {
    expect(decide(dropped, { decision, ...(decision === 'charged' ? { requestId: REQUEST_ID } : {}) })).toMatchObject({
      kind: 'refused',
      problem: expect.stringContaining('only "abandon"') as string,
    });
  }
  expect(decide({ state: 'done' }, { decision: 'abandon' }).kind).toBe('refused');
});

describe('a charge that the balance has proved', () => {
  const proven = { charged: amount(500), evidence: { proof: 'balance' } } as const;

  test.each(['unknown', 'charged_lost', 'pending'] as const)(
    'is never decided as "not-charged" (%s): the call would be paid twice',
    (state) => {
      expect(decide({ ...proven, state }, { decision: 'not-charged' })).toEqual({
        kind: 'refused',
        problem: expect.stringContaining('would pay twice') as string,
      });
    },
  );

  test('may be decided as "charged" or "abandon"', () => {
    expect(changed(proven, { decision: 'charged', requestId: REQUEST_ID }).state).toBe('pending');
    expect(changed(proven, { decision: 'abandon' }).state).toBe('closed');
  });
});

test('every decision keeps the request id that the row has', () => {
  for (const decision of ['not-charged', 'abandon', 'charged'] as const) {
    expect(changed({ requestId: 'kept' }, { decision }).requestId).toBe('kept');
    expect(changed({ requestId: 'kept' }, { decision }, { ...TERMS, byStatus: true }).requestId).toBe('kept');
  }
});

test('a decision adds to the evidence who decided what, when and why', () => {
  const { evidence } = changed({ evidence: { looked: 'x' } }, { decision: 'abandon', note: 'gone' });
  expect(evidence).toEqual({
    looked: 'x',
    was: 'unknown',
    decision: 'abandon',
    by: 'ana',
    note: 'gone',
    requestId: null,
    at: '2026-03-10T15:00:00.000Z',
  });
  expect(changed({}, { decision: 'abandon' }).evidence).toMatchObject({ note: null });
});

test('a charged_lost row can be decided too', () => {
  expect(changed({ state: 'charged_lost' }, { decision: 'not-charged' }).state).toBe('closed');
});

test.each(['open', 'done', 'rejected', 'not_sent', 'closed'] as const)(
  'a row that is %s cannot be decided',
  (state) => {
    expect(decide({ state }, { decision: 'not-charged' })).toEqual({
      kind: 'refused',
      problem: expect.stringMatching(new RegExp(`intent own \\(step "refresh"\\) is ${state}`)) as string,
    });
  },
);

test('a request id is accepted only with "charged"', () => {
  for (const decision of ['not-charged', 'abandon'] as const) {
    expect(decide({}, { decision, requestId: REQUEST_ID })).toMatchObject({
      kind: 'refused',
      problem: expect.stringContaining('requestId') as string,
    });
  }
});

describe('a row that was decided before', () => {
  const decided = { state: 'closed', evidence: { decision: 'abandon', by: 'ana', requestId: null } } as const;

  test('accepts the same decision again from any person', () => {
    expect(decide(decided, { decision: 'abandon', by: 'rui' })).toEqual({ kind: 'same' });
    const withId = { state: 'pending', evidence: { decision: 'charged', requestId: REQUEST_ID } } as const;
    expect(decide(withId, { decision: 'charged', requestId: REQUEST_ID.toUpperCase() })).toEqual({ kind: 'same' });
    expect(decide({ state: 'closed', evidence: { decision: 'abandon' } }, { decision: 'abandon' })).toEqual({
      kind: 'same',
    });
  });

  test('refuses another decision, and says what was decided and by whom', () => {
    expect(decide(decided, { decision: 'not-charged' })).toEqual({
      kind: 'refused',
      problem: expect.stringMatching(/decided before: "abandon" by "ana"/) as string,
    });
  });

  test('accepts another request id while it is pending by that decision, so that a mistyped id can be corrected', () => {
    const mistyped = { decision: 'charged', by: 'ana', note: null, requestId: 'mistyped', at: 'then' };
    const row = { state: 'pending', requestId: 'mistyped', evidence: mistyped } as const;
    expect(changed(row, { decision: 'charged', requestId: REQUEST_ID })).toMatchObject({
      state: 'pending',
      requestId: REQUEST_ID,
      evidence: { requestId: REQUEST_ID, earlier: [mistyped] },
    });
    expect(changed(row, { decision: 'not-charged' }).state).toBe('closed');
  });

  test('can be decided again once it is unknown again, and keeps the earlier decisions', () => {
    const first = { decision: 'charged', by: 'ana', note: 'n', requestId: REQUEST_ID, at: 'then' };
    const again = changed({ evidence: first }, { decision: 'not-charged' });
    expect(again.evidence).toMatchObject({ decision: 'not-charged', earlier: [first] });
    const third = changed({ evidence: again.evidence }, { decision: 'abandon' });
    expect(third.evidence?.['earlier']).toMatchObject([first, { decision: 'not-charged' }]);
  });

  test('has earlier decisions only after its first one', () => {
    expect(changed({}, { decision: 'abandon' }).evidence).not.toHaveProperty('earlier');
    expect(changed({ evidence: { proof: 'x' } }, { decision: 'abandon' }).reserved).toBe(amount(5_000));
  });
});
