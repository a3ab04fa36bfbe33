/** Calls that wait for their own work: what else the account may do meanwhile, and what a flow is told that has to wait on. */
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows, type Flows } from './with-flows.js';

const HOUR_MS = 3_600_000;

async function timesOf(flows: Flows, operation: string): Promise<readonly number[]> {
  return (await flows.requests(operation)).map(({ at }) => Date.parse(at));
}

async function eventsOf(flows: Flows, workflowId: string) {
  const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter(
    (event) => event.timerStartedEventAttributes ?? event.activityTaskTimedOutEventAttributes,
  );
}

describe('a call that waits for its work', () => {
  const flows = withFlows({ account: { concurrency: 1 }, sandbox: { refreshMs: 300, pollAfterMs: 4_000 } });

  it('leaves its place to the next call', async () => {
    const handles = await Promise.all([1, 2, 3, 4].map(() => flows.refresh({ cnj: newCase(), webhook: false })));
    await Promise.all(handles.map((handle) => handle.result()));
    const [paid, polls] = [await timesOf(flows, 'requestRefresh'), await timesOf(flows, 'getRequest')];
    expect(paid).toHaveLength(4);
    // Otherwise the second call is made when the first has ended, by its poll.
    expect(paid.filter((at) => at < Math.min(...polls)).length).toBeGreaterThan(1);
  });
});

describe('work that takes longer than its call waits', () => {
  const flows = withFlows({ worker: false, sandbox: { refreshMs: HOUR_MS, pollAfterMs: 1_000 } });
  const finishWork = () => flows.control('/clock', { advanceMs: HOUR_MS });

  it('is waited for by its flow, which learns of it as pending', async () => {
    await flows.startWorker();
    const cnj = newCase();
    const handle = await flows.refresh({ cnj, webhook: false });
    await flows.waiting(handle.workflowId);
    expect((await timesOf(flows, 'getRequest')).length).toBeGreaterThanOrEqual(2);
    await finishWork();
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await timesOf(flows, 'requestRefresh')).toHaveLength(1);
  });
});

describe('a worker that is told to stop while a call waits for its work', () => {
  const flows = withFlows({ worker: false, sandbox: { refreshMs: HOUR_MS, pollAfterMs: 4_500 } });

  it('hands it to the flow at once: the next worker goes on', async () => {
    const worker = await flows.startWorker();
    const handle = await flows.refresh({ cnj: newCase(), webhook: false });
    await until(async () => (await rowStates()).includes('pending'), { what: 'the call to wait' });
    worker.shutdown();
    await flows.startWorker();
    await flows.control('/clock', { advanceMs: HOUR_MS });
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    const [event, ...more] = await eventsOf(flows, handle.workflowId);
    expect(event?.timerStartedEventAttributes).toBeTruthy();
    expect(more).toEqual([]);
    expect(await timesOf(flows, 'requestRefresh')).toHaveLength(1);
  });

  async function rowStates(): Promise<readonly string[]> {
    const rows = await flows.database.db.selectFrom('tramita.intent').select('state').execute();
    return rows.map(({ state }) => state);
  }
});
