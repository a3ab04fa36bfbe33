/** Which work a charged call waits for itself, and how such a wait ends. The clock is turned by hand. */
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

describe('a call waits for its own work', () => {
  test.each<[string, object]>([
    ['that was just begun', {}],
    ['whose hint is five seconds', { hintMs: 5_000 }],
    ['whose hint is none', { hintMs: null }],
  ])('%s', (_what, more) => {
    expect(briefOf(more)).toMatchObject({
      operation: 'requestRefresh',
      pending: { requestId: 'work' },
    });
  });

  test.each<[string, object]>([
    ['that has ended', DONE],
    ['that another flow has begun', { reused: true }],
    ['whose answer only the spool has', { settled: false }],
    ['without a row', { intentId: undefined }],
    ['that a webhook announces', { webhookExpected: true }],
    ['of which an event has told', { eventSeen: true }],
    ['that was charged, and should not be', { unexpected: UNEXPECTED }],
    ['that takes longer by its hint', { hintMs: 5_001 }],
  ])('but not for work %s', (_what, more) => {
    expect(briefOf(more)).toBeUndefined();
  });

  test.each(['getElectoralEditionPdf', 'getRequest'])('but not where the end of %s may be a file', (operation) => {
    expect(briefOf({}, operation)).toBeUndefined();
  });

  test('but not where the call has taken more than three seconds of its time', () => {
    expect(briefOf({}, 'requestRefresh', 3_001)).toBeUndefined();
  });
});

describe('such a wait', () => {
  const notYet = (againMs: number): Error =>
    ApplicationFailure.create({ type: 'NotYet', message: 'not yet', nextRetryDelay: againMs });
  const settled = (call: object): AwaitFinalResult => ({ kind: 'settled', call }) as AwaitFinalResult;

  /** The answers of its looks, one after the other; the turn of the last is repeated. */
  async function end(
    looks: readonly (AwaitFinalResult | Error)[],
    {
      turns = [true],
      pending = {},
      isStopped = false,
    }: { turns?: readonly boolean[]; pending?: object; isStopped?: boolean } = {},
  ) {
    const asked: object[] = [];
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
          asked.push(input);
          const told = looks[Math.min(asked.length, looks.length) - 1] as AwaitFinalResult | Error;
          return told instanceof Error ? Promise.reject(told) : Promise.resolve(told);
        },
      },
    );
    return { outcome, looks: asked.length, asked, monotonicMs };
  }

  test('ends with the answer, a second later at the earliest', async () => {
    const { outcome, asked, monotonicMs } = await end([settled(DONE)], { pending: { caseAttribute: 'token' } });
    expect(outcome).toEqual({ ...DONE, caseAttribute: 'token' });
    expect(asked).toEqual([
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

  test('looks again while it is told to, for five seconds', async () => {
    const { outcome, looks, monotonicMs } = await end([notYet(1_100)]);
    expect(outcome).toEqual({ ...PENDING, hintMs: 1_100 });
    expect(looks).toBeGreaterThanOrEqual(3);
    expect(monotonicMs).toBeLessThanOrEqual(5_000);
  });

  test('ends at once where the account has no look left', async () => {
    const { outcome, looks, monotonicMs } = await end([settled(DONE)], { turns: [false] });
    expect(outcome).toMatchObject({ outcome: 'PENDING' });
    expect([looks, monotonicMs]).toEqual([0, 0]);
  });

  test.each<[string, AwaitFinalResult | Error]>([
    ['a refusal', settled({ ...FACTS, outcome: 'REJECTED' })],
    ['a loss', settled({ ...FACTS, outcome: 'CHARGED_LOST' })],
    ['work that the service has forgotten', { kind: 'forgotten', status: 404 }],
    ['a key that is refused', { kind: 'credentials', status: 401 }],
    ['a look that failed', new Error('away')],
  ])('leaves %s to the flow, which looks at once', async (_what, told) => {
    const { outcome, looks } = await end([told]);
    expect(outcome).toEqual({ ...PENDING, hintMs: 0 });
    expect(looks).toBe(1);
  });

  test('tells a read that was charged', async () => {
    const { outcome } = await end([{ kind: 'unexpected charge', unexpected: UNEXPECTED }]);
    expect(outcome).toEqual({ ...PENDING, hintMs: 0, unexpected: UNEXPECTED });
    const done = await end([{ ...settled(DONE), unexpected: UNEXPECTED } as AwaitFinalResult]);
    expect(done.outcome).toEqual({ ...DONE, unexpected: UNEXPECTED });
  });

  test('is over when the worker ends', async () => {
    const { outcome, looks } = await end([settled(DONE)], { isStopped: true });
    expect(outcome).toEqual({ ...PENDING, hintMs: 0 });
    expect(looks).toBe(0);
  });
});
