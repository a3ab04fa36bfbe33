/** Reads for evidence that should be free and are charged: the flow learns of each charge, however the look ends. */
import { randomUUID } from 'node:crypto';
import { noteQuietBalance, type AccountDeps } from '../../src/activities/index.js';
import { awaitFinal } from '../../src/activities/polling/await-final.js';
import { createErrorFinals } from '../../src/activities/polling/error-finals.js';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import { bookUnder } from '../../src/activities/free/collect-charges.js';
import type { AwaitFinalResult, CallOutcome, ResolveUnknownInput } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { resolveUnknown } from './resolve-now.js';
import { withActivities } from './with-activities.js';

const charging = (operation: string, amount: number) => ({
  operation,
  fault: 'status',
  status: 404,
  body: { error: { code: 'NOTHING_YET' }, meta: { creditsCharged: amount, requestId: operation } },
  times: 1,
});
const readOf = (operation: string, amount: string) => ({
  operation,
  amount,
  metaRequestId: operation,
  searchLogId: null,
});

describe('a look for evidence', () => {
  const realNow = Date.now;
  let offsetMs = 0;
  // This runs before the world opens, because its parts keep the clock that they find.
  beforeAll(() => void jest.spyOn(Date, 'now').mockImplementation(() => realNow() + offsetMs));
  afterAll(() => jest.restoreAllMocks());
  const world = withActivities({
    account: { exclusive: true, debitAt: 'answer', refunds: 'never' },
    sandbox: { dialect: { debitAt: 'answer' } },
  });
  const account = (): AccountDeps => world.deps().accounts.get('default') as AccountDeps;

  /** A reading is stored only while no transaction writes, including those of other test files. */
  const untilNoted = async (): Promise<void> => {
    const { ledger } = world.deps();
    const isNoted = async (): Promise<boolean> => {
      await noteQuietBalance(world.deps(), account());
      const [{ seq }, last] = await Promise.all([ledger.quiet('default'), ledger.openingBalance('default')]);
      return last?.seq === seq;
    };
    await until(isNoted, { what: 'a reading of the balance' });
  };

  /** A refresh whose end is unknown and that has charged nothing. */
  const cutRefresh = async (): Promise<ResolveUnknownInput> => {
    const run = randomUUID();
    const params = { cnj: newCase() };
    const key = { workflowId: `looks/${run}`, firstRunId: run, step: 'requestRefresh', ordinal: 1 };
    const call = { ...key, account: 'default', params, workflowType: 'test', flags: [] };
    await world.control('/faults', { operation: 'requestRefresh', fault: 'F3', times: 1 });
    const attempt = { attempt: 1, attemptToken: randomUUID() };
    const { outcome } = await runChargedCall(world.deps(), 'requestRefresh', call, attempt);
    expect(outcome).toBe('UNKNOWN');
    return { ...key, account: 'default', operation: 'requestRefresh', params };
  };
  const booked = async ({ workflowId }: ResolveUnknownInput): Promise<readonly (number | null)[]> => {
    const rows = await world.deps().ledger.list({ account: 'default' });
    const own = rows.filter((row) => row.workflowId === workflowId && row.step.startsWith('free/'));
    return own.map(({ charged }) => charged).sort();
  };
  /** The reads of this account are free again: what was charged counts for 30 days. */
  const forgetBars = (): void => void (offsetMs += 31 * 86_400_000);
  const charges = ({ unexpected, moreUnexpected }: CallOutcome): unknown => [unexpected, moreUnexpected];

  it('that is charged for the status and for the balance tells of both', async () => {
    await untilNoted();
    const input = await cutRefresh();
    offsetMs += 181_000;
    await world.control('/faults', charging('getRefreshStatus', 0.05));
    await world.control('/faults', charging('getBalance', 0.07));
    const outcome = await resolveUnknown(world.deps(), input);
    expect(charges(outcome)).toEqual([readOf('getRefreshStatus', '0.05'), [readOf('getBalance', '0.07')]]);
    expect(await booked(input)).toEqual([500, 700]);
    await world.deps().ledger.decide({ intentId: outcome.intentId ?? '', decision: 'not-charged', by: 'ana' });
  });

  it('that is charged, and then finds the database away, tells of it at once', async () => {
    forgetBars();
    const input = await cutRefresh();
    await world.control('/faults', charging('getRefreshStatus', 0.05));
    const deps = world.deps();
    const about = (): Promise<never> => Promise.reject(new Error('the database is away'));
    const outcome = await resolveUnknown({ ...deps, ledger: { ...deps.ledger, about } }, input);
    expect(outcome).toMatchObject({ outcome: 'UNKNOWN', unexpected: readOf('getRefreshStatus', '0.05') });
    expect(outcome.looked).toContain('the look ended early');
    expect(await booked(input)).toEqual([500]);
  });

  it('for the end of a refresh tells of its charge by the next attempt if its worker dies', async () => {
    forgetBars();
    const run = randomUUID();
    const [params, key] = [
      { cnj: newCase() },
      { workflowId: `looks/${run}`, firstRunId: run, step: 'requestRefresh', ordinal: 1 },
    ];
    const call = { ...key, account: 'default', params, workflowType: 'test', flags: [] };
    const sent = await runChargedCall(world.deps(), 'requestRefresh', call, { attempt: 1, attemptToken: randomUUID() });
    const { intentId = '', requestId = '' } = sent as { readonly intentId?: string; readonly requestId?: string };
    const input = { account: 'default', operation: 'requestRefresh', params, intentId, requestId, sinceMs: Date.now() };
    const poll = (activity: string, attempt: number): Promise<AwaitFinalResult> =>
      awaitFinal(bookUnder(world.deps(), { activity }), input, {
        signal: AbortSignal.timeout(30_000),
        workflowId: key.workflowId,
        errors: createErrorFinals(),
        activity,
        attempt,
      });
    await world.control('/faults', charging('getRefreshStatus', 0.05));
    const activity = randomUUID();
    // The result of a worker that dies reaches nobody.
    await until(async () => (await poll(activity, 1).catch(() => undefined)) !== undefined, {
      what: 'the charged read',
    });
    const unexpected = readOf('getRefreshStatus', '0.05');
    expect(await poll(activity, 2)).toMatchObject({ unexpected });
    expect(await poll(randomUUID(), 2)).not.toHaveProperty('unexpected');
    expect(await booked({ ...key, account: 'default', operation: 'requestRefresh', params })).toEqual([500]);
  });

  it('whose worker dies after the charge is told of it by the next attempt, once', async () => {
    forgetBars();
    const input = await cutRefresh();
    await world.control('/faults', charging('getRefreshStatus', 0.05));
    const activity = randomUUID();
    const nowMs = Date.now();
    const asker = { workflowType: '', scheduledAtMs: nowMs, attemptScheduledAtMs: nowMs, activity };
    const deps = bookUnder(world.deps(), { activity });
    // The result of a worker that dies reaches nobody.
    await resolveUnknown(deps, input, { ...asker, attempt: 1 });
    expect(charges(await resolveUnknown(deps, input, { ...asker, attempt: 2 }))).toEqual([
      readOf('getRefreshStatus', '0.05'),
      undefined,
    ]);
    expect(charges(await resolveUnknown(deps, input, { ...asker, attempt: 2, activity: randomUUID() }))).toEqual([
      undefined,
      undefined,
    ]);
    expect(await booked(input)).toEqual([500]);
  });
});
