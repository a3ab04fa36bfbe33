/** Whether a call may be sent: every rule of the opening, and their order. No database is needed. */
import { decideOpening, type Opening } from '../../src/ledger/decide-opening.js';
import type { LookUp } from '../../src/ledger/look-up.js';
import type { IntentState, OpenIntent } from '../../src/ledger/index.js';
import { amount, makeKept } from '../support/kept-intent.js';

const REQUEST: OpenIntent = {
  workflowId: 'flow',
  firstRunId: 'run',
  step: 'refresh',
  ordinal: 1,
  account: 'default',
  operation: 'requestRefresh',
  workflowType: 'refreshCase',
  params: {},
  flags: [],
  webhookExpected: false,
  attemptToken: 'mine',
  attempt: 1,
  waiterKeys: [],
};
const NOTHING: LookUp = {
  own: undefined,
  ownEventSeen: false,
  once: [],
  target: undefined,
  live: [],
  later: [],
  earlier: undefined,
  young: undefined,
  shared: undefined,
  life: { epoch: 'life', isSameServer: true, hasWitness: true, begunAtMs: 0, heldSinceMs: null },
  flowSpent: amount(0),
  highestCharge: null,
  hold: { failures: 0, outageSinceMs: null, throttledUntilMs: null, freeThrottledUntilMs: null },
};

function open(found: Partial<LookUp>, request: Partial<OpenIntent> = {}, free = false): Opening {
  return decideOpening({ ...REQUEST, ...request }, { subject: 'subject', free }, { ...NOTHING, ...found });
}

function verdictOf(opening: Opening): string {
  return 'verdict' in opening && typeof opening.verdict === 'object' ? opening.verdict.kind : opening.kind;
}

const other = (state: IntentState, change: Parameters<typeof makeKept>[0] = {}) =>
  makeKept({ intentId: `other ${state}`, workflowId: 'other', state, ...change });

test('a call is sent when no row stands against it', () => {
  expect(open({})).toEqual({ kind: 'send' });
  expect(open({}, {}, true)).toEqual({ kind: 'send' });
});

describe('the row of the same step and ordinal', () => {
  test.each<[IntentState, string]>([
    ['unknown', 'ambiguous'],
    ['closed', 'closed'],
    ['pending', 'stored'],
    ['done', 'stored'],
    ['rejected', 'stored'],
    ['not_sent', 'stored'],
    ['charged_lost', 'stored'],
  ])('that is %s answers "%s", with the row', (state, verdict) => {
    const own = makeKept({ state }, 'mine');
    const opening = open({ own });
    expect(opening).toMatchObject({ kind: 'answer', verdict: { kind: verdict, intent: own.intent } });
  });

  test('that is open lets only the attempt that wrote it send', () => {
    expect(verdictOf(open({ own: makeKept({ state: 'open' }, 'mine') }))).toBe('send');
    expect(verdictOf(open({ own: makeKept({ state: 'open' }, 'theirs') }))).toBe('ambiguous');
    expect(verdictOf(open({ own: makeKept({ state: 'open' }, null) }))).toBe('ambiguous');
  });

  test('says whether an event about it was seen', () => {
    const own = makeKept({ state: 'done' });
    expect(open({ own, ownEventSeen: true })).toMatchObject({ verdict: { eventSeen: true } });
    expect(open({ own })).toMatchObject({ verdict: { eventSeen: false } });
  });

  test.each([['operation', 'getCase'] as const, ['subject', 'another'] as const, ['account', 'second'] as const])(
    'about another %s refuses the call',
    (member, value) => {
      const opening = open({ own: makeKept({ state: 'done', [member]: value }) });
      expect(verdictOf(opening)).toBe('step conflict');
      expect(opening).toMatchObject({
        verdict: { problem: expect.stringMatching(/step "refresh" #1 of flow .*start a new run/) as string },
      });
    },
  );

  test('takes precedence over all other rows', () => {
    const opening = open({ own: makeKept({ state: 'done' }), later: [other('open')], live: [other('open')] });
    expect(verdictOf(opening)).toBe('stored');
  });
});

describe('other ordinals of the step', () => {
  test('shut an ordinal without a row once a later ordinal exists', () => {
    expect(open({ later: [makeKept({ ordinal: 2 })], earlier: makeKept({ state: 'done' }) })).toEqual({ kind: 'shut' });
  });

  test.each<[IntentState, string]>([
    ['open', 'ambiguous'],
    ['unknown', 'ambiguous'],
    ['pending', 'stored'],
    ['done', 'stored'],
    ['charged_lost', 'stored'],
  ])('answer for the step if an earlier one is %s: %s', (state, verdict) => {
    const earlier = makeKept({ state }, 'mine');
    const opening = open({ earlier, live: [other('pending')] }, { ordinal: 2, attempt: 2 });
    expect(opening).toMatchObject({ kind: 'answer', verdict: { kind: verdict, intent: earlier.intent } });
  });

  test.each<[IntentState, Parameters<typeof makeKept>[0]]>([
    ['not_sent', {}],
    ['rejected', { charged: null }],
    ['closed', { evidence: { decision: 'not-charged' } }],
  ])('answer for the step if a later one was paid, after a reset to an ordinal that is %s', (state, change) => {
    const laterPaid = makeKept({ state: 'done', ordinal: 2 });
    const opening = open({ own: makeKept({ state, ...change }), later: [laterPaid] });
    expect(opening).toMatchObject({ kind: 'answer', verdict: { kind: 'stored', intent: laterPaid.intent } });
  });

  test.each<[IntentState, Parameters<typeof makeKept>[0], string]>([
    ['rejected', { charged: amount(1) }, 'stored'],
    ['closed', { evidence: { decision: 'abandon' } }, 'closed'],
    ['unknown', {}, 'ambiguous'],
  ])('do not replace the row of an ordinal that is %s and may have cost something', (state, change, verdict) => {
    const own = makeKept({ state, ...change });
    const opening = open({ own, later: [makeKept({ state: 'done', ordinal: 2 })] });
    expect(opening).toMatchObject({ kind: 'answer', verdict: { kind: verdict, intent: own.intent } });
  });

  test('refuse the call if an earlier one is about another call', () => {
    expect(verdictOf(open({ earlier: makeKept({ state: 'done', subject: 'another' }) }))).toBe('step conflict');
  });
});

test('a second attempt without a row is ambiguous, whatever other rows exist: the first attempt may have sent', () => {
  const found = { young: other('done'), live: [other('pending')], target: other('done') };
  expect(open(found, { attempt: 2 })).toEqual({ kind: 'answer', verdict: { kind: 'ambiguous' } });
});

describe('an equal call of another flow', () => {
  test.each<[IntentState, string]>([
    ['open', 'open elsewhere'],
    ['unknown', 'unknown elsewhere'],
  ])('that is %s is waited for: %s', (state, verdict) => {
    const row = other(state);
    expect(open({ live: [row] })).toEqual({ kind: 'wait', on: row.intent, verdict });
  });

  test('that is pending is joined in preference to open and unknown ones', () => {
    const pending = other('pending');
    expect(open({ live: [other('unknown'), other('open'), pending] })).toEqual({ kind: 'join', from: pending });
    expect(open({ live: [other('unknown'), other('open')] })).toMatchObject({
      kind: 'wait',
      verdict: 'open elsewhere',
    });
  });

  test('affects a free call only if it is pending', () => {
    const pending = other('pending');
    expect(open({ live: [other('open'), other('unknown')] }, {}, true)).toEqual({ kind: 'send' });
    expect(open({ live: [pending] }, {}, true)).toEqual({ kind: 'join', from: pending });
  });

  test('that was answered recently is joined, unless another one is pending', () => {
    const young = other('done');
    const pending = other('pending');
    expect(open({ young })).toEqual({ kind: 'join', from: young });
    expect(open({ young, live: [pending] })).toEqual({ kind: 'join', from: pending });
  });
});

describe('an equal call of another flow whose paid answer was lost', () => {
  const lost = other('charged_lost');

  test('is joined if no equal call is pending or answered', () => {
    expect(open({ live: [lost] })).toEqual({ kind: 'join', from: lost });
    const [pending, done] = [other('pending'), other('done')];
    expect(open({ live: [lost, pending] })).toEqual({ kind: 'join', from: pending });
    expect(open({ live: [lost], shared: done })).toEqual({ kind: 'join', from: done });
  });

  test('does not stop a free call', () => {
    expect(open({ live: [lost] }, {}, true)).toEqual({ kind: 'send' });
  });
});

describe('the call that the flow has waited for', () => {
  test.each<IntentState>(['done', 'pending', 'charged_lost'])('is joined if it is %s', (state) => {
    const target = other(state);
    expect(open({ target, live: [other('open')] })).toEqual({ kind: 'join', from: target });
  });

  test('is waited for again if it is open or unknown', () => {
    expect(open({ target: other('open') })).toMatchObject({ kind: 'wait', verdict: 'open elsewhere' });
    expect(open({ target: other('unknown') })).toMatchObject({ kind: 'wait', verdict: 'unknown elsewhere' });
  });

  test('is joined if it was abandoned: its waiters end with it', () => {
    const abandoned = other('closed', { evidence: { decision: 'abandon' } });
    expect(open({ target: abandoned })).toEqual({ kind: 'join', from: abandoned });
  });

  test.each([
    other('rejected'),
    other('not_sent'),
    other('closed'),
    other('closed', { evidence: { decision: 'not-charged' } }),
  ])('lets the call be sent if it cost nothing (%#)', (target) => {
    expect(open({ target })).toEqual({ kind: 'send' });
    expect(open({ target, live: [other('open')] })).toMatchObject({ kind: 'wait' });
  });
});

describe('the once key', () => {
  const once = (...states: IntentState[]) => ({ once: states.map((state) => other(state)) });

  test('selects its best row: done, pending, charged_lost, open, unknown', () => {
    const order: IntentState[] = ['done', 'pending', 'charged_lost', 'open', 'unknown'];
    for (let from = 0; from < order.length; from += 1) {
      const opening = open(once(...order.slice(from).reverse()));
      const best = 'from' in opening ? opening.from.intent.state : 'on' in opening ? opening.on.state : '';
      expect(best).toBe(order[from]);
    }
  });

  test('joins an abandoned row if it has no better one', () => {
    const abandoned = other('closed', { evidence: { decision: 'abandon' } });
    expect(open({ once: [abandoned] })).toEqual({ kind: 'join', from: abandoned });
    expect(open({ once: [abandoned, other('unknown')] })).toMatchObject({ kind: 'wait' });
  });

  test('lets the call be sent if its rows cost nothing', () => {
    expect(open(once('rejected', 'not_sent', 'closed'))).toEqual({ kind: 'send' });
  });

  test('answers the first ordinal of a run with a charged refusal, and lets the next ordinal buy again', () => {
    const refused = other('rejected', { charged: amount(2000) });
    const copy = other('rejected', { intentId: 'copy', joined: refused.intent.intentId, charged: amount(0) });
    expect(open({ once: [copy, refused] })).toEqual({ kind: 'join', from: refused });
    expect(open({ once: [refused] }, { ordinal: 2 })).toEqual({ kind: 'send' });
    expect(open({ once: [refused, other('unknown')] })).toMatchObject({ kind: 'wait' });
    // Accepted and then refused, with an unknown charge.
    const unknownCharge = other('rejected', { requestId: 'accepted' });
    expect(open({ once: [unknownCharge] })).toEqual({ kind: 'join', from: unknownCharge });
    const free = other('rejected', { requestId: 'accepted', charged: amount(0) });
    expect(open({ once: [free] })).toEqual({ kind: 'send' });
  });

  test('lets a call with a flag be sent if its rows cost nothing', () => {
    expect(open(once('rejected', 'closed'), { flags: ['documents'] })).toEqual({ kind: 'send' });
  });

  test.each([{ operation: 'getCase' }, { subject: 'another' }])(
    'used with other arguments is refused (%p)',
    (change) => {
      const opening = open({ once: [other('rejected'), other('done', change)] });
      expect(verdictOf(opening)).toBe('once conflict');
      expect(opening).toMatchObject({
        kind: 'answer',
        verdict: {
          problem: expect.stringMatching(
            /with other arguments.*step "refresh", workflow other.*use another one/,
          ) as string,
        },
      });
    },
  );

  test('used with other arguments lets the call be sent if the earlier calls cost nothing', () => {
    const before = [other('rejected', { subject: 'another' }), other('not_sent', { subject: 'another' })];
    expect(open({ once: before })).toEqual({ kind: 'send' });
    const refused = other('rejected', { subject: 'another', charged: amount(2000) });
    expect(verdictOf(open({ once: [...before, refused] }))).toBe('once conflict');
  });

  test('refuses a row that lacks a flag of the call, and names the flag', () => {
    const flags = ['documents'] as const;
    expect(open({ once: [other('done')] }, { flags })).toMatchObject({
      verdict: { kind: 'once conflict', problem: expect.stringContaining('without "documents"') as string },
    });
    expect(open({ once: [other('done', { flags })] }, { flags })).toMatchObject({ kind: 'join' });
    expect(open({ once: [other('done', { flags })] })).toMatchObject({ kind: 'join' });
  });

  test('takes precedence over the call that the flow has waited for', () => {
    const row = other('done');
    expect(open({ once: [row], target: other('pending') })).toEqual({ kind: 'join', from: row });
  });
});
