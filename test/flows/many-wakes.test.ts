/** However many signals a flow gets, the looks that they cause do not make its history grow. */
import { Client } from '@temporalio/client';
import { createInbox } from '../../src/inbox/index.js';
import { createSignalWake } from '../../src/wakes/index.js';
import { judgeSignalError } from '../../src/wakes/judge-signal-error.js';
import { settleCharge } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { startShortWorker } from './short-waits.js';
import { withFlows } from './with-flows.js';

describe('a parked flow', () => {
  const flows = withFlows();

  it('looks at once when it is woken, and at most once a minute however often it is woken', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj);
    const handle = await flows.refresh({ cnj, webhook: false });
    const { workflowId } = handle;
    await flows.parked(workflowId);
    const looks = async (): Promise<number> =>
      (await namesOf(workflowId)).filter((name) => name === 'resolveUnknown').length;
    const before = await looks();
    const beganMs = Date.now();
    const wake = (): Promise<void> => flows.client.workflow.getHandle(workflowId).signal('wake', { reason: 'test' });
    await wake();
    await until(async () => (await looks()) > before, { what: 'the look by the first event' });
    for (let sent = 1; sent <= 30; sent += 1) {
      await wake();
      await until(async () => (await signalsOf(workflowId)) > sent, { what: 'the signal' });
      // The flow parks again between two signals.
      await flows.parked(workflowId);
    }
    const newLooks = (await looks()) - before;
    const minutes = (Date.now() - beganMs) / 60_000;
    // One look a minute comes from events, and one every 20 s may come from the timer of the parked flow.
    expect(newLooks).toBeLessThanOrEqual(2 + Math.floor(minutes) + Math.floor(minutes * 3));
    await flows.client.workflow.getHandle(workflowId).terminate();
  });

  it('is recorded as waiting in its namespace, and a missing flow is distinguished from a missing namespace', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj);
    const { workflowId } = await flows.refresh({ cnj, webhook: false });
    await flows.parked(workflowId);
    const inbox = createInbox({ db: flows.database.db, clock: Date.now });
    const { connection, options } = flows.client;
    const workflowIds = [workflowId];
    expect(await inbox.waitersElsewhere({ workflowIds, namespace: options.namespace })).toEqual([]);
    expect(await inbox.waitersElsewhere({ workflowIds, namespace: 'missing' })).toEqual([workflowId]);

    const resultOfSignal = async (namespace: string): Promise<string> => {
      const signalWake = createSignalWake(new Client({ connection, namespace }));
      expect(signalWake.namespace).toBe(namespace);
      return signalWake('no-such-flow', {}).then(() => 'signalled', judgeSignalError);
    };
    expect(await resultOfSignal(options.namespace)).toBe('gone');
    expect(await resultOfSignal('missing')).toBe('failed');
    await flows.client.workflow.getHandle(workflowId).terminate();
  });

  async function eventsOf(workflowId: string) {
    return (await flows.client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
  }
  async function namesOf(workflowId: string): Promise<readonly string[]> {
    return (await eventsOf(workflowId)).flatMap(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
    );
  }
  async function signalsOf(workflowId: string): Promise<number> {
    return (await eventsOf(workflowId)).filter((event) => Boolean(event.workflowExecutionSignaledEventAttributes))
      .length;
  }
});

describe('a parked flow with a long history', () => {
  const flows = withFlows({ worker: false });
  beforeAll(() => startShortWorker(flows, { './history-length.js': 'long-history.ts' }));

  it('looks at most once an hour because of events, and hears a person at once', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj);
    const { workflowId } = await flows.refresh({ cnj, webhook: false });
    const handle = flows.client.workflow.getHandle(workflowId);
    await flows.parked(workflowId);
    const timers = async (): Promise<readonly number[]> =>
      ((await handle.fetchHistory()).events ?? []).map(({ timerStartedEventAttributes: timer }) =>
        Number(timer?.startToFireTimeout?.seconds ?? 0),
      );
    await until(
      async () => {
        await handle.signal('wake', { reason: 'test' });
        return (await timers()).some((seconds) => seconds > 3_000 && seconds <= 3_600);
      },
      { what: 'a wait of an hour' },
    );
    await settleCharge(flows.client, workflowId, { step: 'requestRefresh', decision: 'abandon', by: 'ana' });
    expect(await failureOf(handle)).toMatchObject({ type: 'UnknownCharge' });
  });
});
