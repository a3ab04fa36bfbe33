/** Which work a charged call waits for itself, and how this brief wait ends. The clock is simulated. */
import { ApplicationFailure } from '@temporalio/common';
import { briefWork, endBriefly } from '../../src/activities/polling/brief-wait.js';
import { OPERATIONS, withExtraOperations } from '../../src/contract/index.js';
import type { AwaitFinalResult, CallOutcome, ChargedCallInput, ChargedCallResult } from '../../src/protocol/index.js';

const INPUT: ChargedCallInput = {
  account: 'default',
  params: { cnj: '1' },
  flags: [],
  step: 'requestRefresh',
  ordinal: 1,
  workflowId: 'flow',
  firstRunId: 'run',
  workflowType: 'refreshCase',
};
const FACTS = { intentId: 'row', requestId: 'work', charged: '0.2', reused: false, settled: true } as const;
const PENDING = {
  ...FACTS,
  outcome: 'PENDING',
  hintMs: 0,
  webhookExpected: false,
  patienceMs: 0,
  eventSeen: false,
  sinceMs: 1,
} as const satisfies ChargedCallResult;
const DONE = { ...FACTS, outcome: 'DONE', reading: {} } as unknown as Extract<CallOutcome, { outcome: 'DONE' }>;
const UNEXPECTED = { operation: 'getRequest', charged: '0.1' } as never;

const catalogue = withExtraOperations(OPERATIONS, []);
const briefOf = (more: object, operation = 'requestRefresh', tookMs = 20) =>
  briefWork({ catalogue }, { operation, input: INPUT, result: { ...PENDING, ...more }, tookMs });

describe('a charged call', () => {
  test.each<[string, object]>([
    ['that has just begun', {}],
    ['with a hint of five seconds', { hintMs: 5_000 }],
    ['without a hint', { hintMs: null }],
  ])('waits for its own work %s', (_what, more) => {
    expect(briefOf(more)).toMatchObject({
      operation: 'requestRefresh',
      pending: { requestId: 'work' },
    });
  });

  test.each<[string, object]>([
    ['that has ended', DONE],
    ['that another flow began', { reused: true }],
    ['whose answer is only in the spool', { settled: false }],
    ['without a ledger row', { intentId: undefined }],
    ['that a webhook announces', { webhookExpected: true }],
    ['whose event was already seen', { eventSeen: true }],
    ['with an unexpected charge', { unexpected: UNEXPECTED }],
    ['with a longer hint', { hintMs: 5_001 }],
  ])('does not wait for work %s', (_what, more) => {
    expect(briefOf(more)).toBeUndefined();
  });

  test.each(['getElectoralEditionPdf', 'getRequest'])(
    'does not wait if the answer of %s may be a file',
    (operation) => {
      expect(briefOf({}, operation)).toBeUndefined();
    },
  );

  test('does not wait if it has already taken more than three seconds', () => {
    expect(briefOf({}, 'requestRefresh', 3_001)).toBeUndefined();
  });
});

describe('a brief wait', () => {
  const notYet = (againMs: number): Error =>
    ApplicationFailure.create({ type: 'NotYet', message: 'not yet', nextRetryDelay: againMs });
  const settled = (call: object): AwaitFinalResult => ({ kind: 'settled', call }) as AwaitFinalResult;

  /** Runs a brief wait. `looks` are the answers of its polls, and `turns` says whether it may poll; both repeat their last entry. */
  async function end(
    looks: readonly (AwaitFinalResult | Error)[],
    {
      turns = [true],
      pending = {},
      isStopped = false,
    }: { turns?: readonly boolean[]; pending?: object; isStopped?: boolean } = {},
  ) {
    const polls: object[] = [];
    let monotonicMs = 0;
    let turn = 0;
    const stopping = new AbortController();
    if (isStopped) stopping.abort();
    const work = briefOf(pending);
    if (work === undefined) throw new Error('not brief');
    const outcome = await endBriefly(
      {
        clock: { nowMs: () => monotonicMs, monotonicMs: () => monotonicMs },
        mayLookSoon: () => Promise.resolve(turns[Math.min(turn++, turns.length - 1)] ?? false),
      },
      work,
      {
        stopped: stopping.signal,
        wait: (ms) => {
          stopping.signal.throwIfAborted();
          monotonicMs += ms;
          return Promise.resolve();
        },
        look: (input) => {
          polls.push(input);
          const answer = looks[Math.min(polls.length, looks.length) - 1] as AwaitFinalResult | Error;
          return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        },
      },
    );
    return { outcome, looks: polls.length, polls, monotonicMs };
  }

  test('ends with the answer, after one second at the earliest', async () => {
    const pending = { caseAttribute: 'token', floorRead: UNEXPECTED };
    const { outcome, polls, monotonicMs } = await end([settled(DONE)], { pending });
    expect(outcome).toEqual({ ...DONE, ...pending });
    expect(polls).toEqual([
      {
        account: 'default',
        operation: 'requestRefresh',
        params: { cnj: '1' },
        intentId: 'row',
        sinceMs: 1,
        requestId: 'work',
      },
    ]);
    expect(monotonicMs).toBeGreaterThanOrEqual(1_000);
  });

  test('polls again as long as the answer is "not yet", for five seconds', async () => {
    const { outcome, looks, monotonicMs } = await end([notYet(1_100)]);
    expect(outcome).toEqual({ ...PENDING, hintMs: 1_100 });
    expect(looks).toBeGreaterThanOrEqual(3);
    expect(monotonicMs).toBeLessThanOrEqual(5_000);
  });

  test('ends at once if the account has no poll left', async () => {
    const { outcome, looks, monotonicMs } = await end([settled(DONE)], { turns: [false] });
    expect(outcome).toMatchObject({ outcome: 'PENDING' });
    expect([looks, monotonicMs]).toEqual([0, 0]);
  });

  test.each<[string, AwaitFinalResult | Error]>([
    ['a refusal', settled({ ...FACTS, outcome: 'REJECTED' })],
    ['a lost answer', settled({ ...FACTS, outcome: 'CHARGED_LOST' })],
    ['work that the service has forgotten', { kind: 'forgotten', status: 404 }],
    ['a key that is refused', { kind: 'credentials', status: 401 }],
    ['a failed poll', new Error('away')],
  ])('leaves %s to the flow, which polls at once', async (_what, answer) => {
    const { outcome, looks } = await end([answer]);
    expect(outcome).toEqual({ ...PENDING, hintMs: 0 });
    expect(looks).toBe(1);
  });

  test('reports a poll that was charged', async () => {
    const { outcome } = await end([{ kind: 'unexpected charge', unexpected: UNEXPECTED }]);
    expect(outcome).toEqual({ ...PENDING, hintMs: 0, unexpected: UNEXPECTED });
    const done = await end([{ ...settled(DONE), unexpected: UNEXPECTED } as AwaitFinalResult]);
    expect(done.outcome).toEqual({ ...DONE, unexpected: UNEXPECTED });
  });

  test('ends when the worker stops', async () => {
    const { outcome, looks } = await end([settled(DONE)], { isStopped: true });
    expect(outcome).toEqual({ ...PENDING, hintMs: 0 });
    expect(looks).toBe(0);
  });
});
