/** Reads for evidence that should be free and are charged: the flow learns of each charge, however the look ends. */
import { randomUUID } from 'node:crypto';
import { awaitFinal } from '../../src/activities/polling/await-final.js';
import { createErrorFinals } from '../../src/activities/polling/error-finals.js';
import { bookUnder } from '../../src/activities/free/collect-charges.js';
import type { AwaitFinalResult, CallOutcome } from '../../src/protocol/index.js';
import { until } from '../support/until.js';
import { charge, newCall, resolveUnknown, untilNoted, type Call } from './calls.js';
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
  const world = withActivities({
    movable: true,
    account: { exclusive: true, debitAt: 'answer', refunds: 'never' },
    sandbox: { dialect: { debitAt: 'answer' } },
  });

  /** A refresh whose end is unknown and that has charged nothing. */
  const cutRefresh = async (): Promise<Call> => {
    const call = newCall('requestRefresh');
    await world.control('/faults', { operation: 'requestRefresh', fault: 'F3', times: 1 });
    expect((await charge(world.deps(), call)).outcome).toBe('UNKNOWN');
    return call;
  };
  const booked = async ({ workflowId }: Call): Promise<readonly (number | null)[]> => {
    const rows = await world.deps().ledger.list({ account: 'default' });
    const own = rows.filter((row) => row.workflowId === workflowId && row.step.startsWith('free/'));
    return own.map(({ charged }) => charged).sort();
  };
  /** The reads of this account are free again: what was charged counts for 30 days. */
  const forgetBars = (): void => world.advance(31 * 86_400_000);
  const charges = ({ unexpected, moreUnexpected }: CallOutcome): unknown => [unexpected, moreUnexpected];

  it('that is charged for the status and for the balance tells of both', async () => {
    await untilNoted(world.deps());
    const input = await cutRefresh();
    world.advance(181_000);
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
    const call = newCall('requestRefresh');
    const { intentId = '', requestId = '' } = await charge(world.deps(), call);
    const input = { ...call, intentId, requestId, sinceMs: Date.now() };
    const poll = (activity: string, attempt: number): Promise<AwaitFinalResult> =>
      awaitFinal(bookUnder(world.deps(), { activity }), input, {
        signal: AbortSignal.timeout(30_000),
        workflowId: call.workflowId,
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
    expect(await booked(call)).toEqual([500]);
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
