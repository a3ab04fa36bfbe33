/** The activity that a held call waits in: one look per attempt, and "not yet" with its own delay. */
import { ApplicationFailure } from '@temporalio/common';
import { awaitRelease } from '../../src/activities/free/await-release.js';
import { bookUnder } from '../../src/activities/free/collect-charges.js';
import type { AccountHold } from '../../src/ledger/index.js';
import type { AwaitReleaseInput } from '../../src/protocol/index.js';
import { withActivities } from './with-activities.js';

const reader = { workflowId: 'refresh/default/1', firstRunId: 'run', workflowType: 'refreshCase' };

describe('a held call', () => {
  const world = withActivities();
  const MINUTE = 60_000;

  /** The delay of "not yet" in ms, or undefined when the call was released. */
  async function look(
    because: NonNullable<AwaitReleaseInput['because']>,
    holdOf: () => Promise<AccountHold | undefined>,
    { attempt = 2, waitedMs = 0, clockMs = Date.now() } = {},
  ): Promise<number | undefined> {
    const clock = { nowMs: () => clockMs, monotonicMs: () => performance.now() };
    const deps = { ...world.deps(), clock, ledger: { ...world.deps().ledger, holdOf } };
    const attemptScheduledAtMs = Date.now();
    const input = { account: 'default', because, sinceMs: attemptScheduledAtMs - waitedMs };
    try {
      await awaitRelease(deps, input, {
        signal: new AbortController().signal,
        reader,
        attempt,
        attemptScheduledAtMs,
      });
      return undefined;
    } catch (error) {
      expect(error).toBeInstanceOf(ApplicationFailure);
      expect(error).toMatchObject({ type: 'NotYet', nonRetryable: false });
      return Number((error as ApplicationFailure).nextRetryDelay);
    }
  }
  const away = (): Promise<never> => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));
  const free = (): Promise<undefined> => Promise.resolve(undefined);
  const lost = (): Promise<AccountHold> => Promise.resolve({ because: 'ledger', sinceMs: 0 });

  it('because of the database is released once the database answers, and looks at least once a minute', async () => {
    expect(await look('database', away)).toBeGreaterThanOrEqual(3_000);
    const late = await look('database', away, { waitedMs: 600 * MINUTE });
    expect(late).toBeGreaterThanOrEqual(MINUTE);
    expect(late).toBeLessThanOrEqual(1.3 * MINUTE);
    expect(await look('database', free)).toBeUndefined();
    expect(await look('database', lost)).toBeUndefined();
  });

  it('because of the database tries ever more rarely while reads are answered but locks are not given', async () => {
    expect(await look('database', free, { attempt: 1 })).toBeGreaterThanOrEqual(3_000);
    expect(await look('database', free, { attempt: 1, waitedMs: 100 * MINUTE })).toBeGreaterThanOrEqual(5 * MINUTE);
  });

  it('waits as long on a worker whose clock is a day ahead', async () => {
    const ahead = { attempt: 1, clockMs: Date.now() + 1_440 * MINUTE };
    expect(await look('database', free, ahead)).toBeLessThanOrEqual(4_000);
    expect(await look('database', away, { ...ahead, attempt: 2 })).toBeLessThanOrEqual(4_000);
  });

  it('because of the ledger is released once the ledger is reconciled, also after the database was away', async () => {
    expect(await look('ledger', lost, { attempt: 1 })).toBeGreaterThanOrEqual(3_000);
    expect(await look('ledger', away)).toBeGreaterThanOrEqual(3_000);
    expect(await look('ledger', lost, { waitedMs: 10_000 * MINUTE })).toBeLessThanOrEqual(1.3 * MINUTE);
    expect(await look('ledger', free)).toBeUndefined();
  });

  it('because of an outage tells what its look was charged, also if only a later attempt ends the wait', async () => {
    const deps = world.deps();
    const meta = { creditsCharged: 0.05, requestId: 'meta-1' };
    const outage = { because: 'outage', sinceMs: Date.now(), failures: 3 } as const;
    const fault = { operation: 'getBalance', fault: 'status', times: 1 };
    const unexpected = { operation: 'getBalance', amount: '0.05', metaRequestId: 'meta-1', searchLogId: null };
    const wait = (attempt: number, activity: string): ReturnType<typeof awaitRelease> => {
      const asker = {
        signal: new AbortController().signal,
        reader,
        attempt,
        activity,
        attemptScheduledAtMs: Date.now(),
      };
      const held = {
        holdOf: () => Promise.resolve(outage),
        claimProbe: () => Promise.resolve({ claimed: true } as const),
      };
      const own = bookUnder({ ...deps, ledger: { ...deps.ledger, ...held } }, { activity });
      return awaitRelease(own, { account: 'default', because: 'outage', sinceMs: Date.now() }, asker);
    };

    await world.control('/faults', { ...fault, status: 503, body: { error: { code: 'DOWN' }, meta } });
    await expect(wait(1, 'first')).rejects.toMatchObject({ type: 'NotYet' });
    expect(await wait(2, 'first')).toEqual({ unexpected });
    expect(await wait(1, 'second')).toBeUndefined();
    expect(await wait(2, 'second')).toBeUndefined();
  });
});
