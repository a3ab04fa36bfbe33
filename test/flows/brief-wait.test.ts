/** Calls that wait briefly for their own work: what the account may do meanwhile, and what happens when the work takes longer. */
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

  it('frees its concurrency slot for the next call', async () => {
    const handles = await Promise.all([1, 2, 3, 4].map(() => flows.refresh({ cnj: newCase(), webhook: false })));
    await Promise.all(handles.map((handle) => handle.result()));
    const [paid, polls] = [await timesOf(flows, 'requestRefresh'), await timesOf(flows, 'getRequest')];
    expect(paid).toHaveLength(4);
    // With the slot taken, the second call would only be sent after the poll that ends the first.
    expect(paid.filter((at) => at < Math.min(...polls)).length).toBeGreaterThan(1);
  });
});

describe('work that takes longer than its call waits', () => {
  const flows = withFlows({ worker: false, sandbox: { refreshMs: HOUR_MS, pollAfterMs: 1_000 } });
  const finishWork = () => flows.control('/clock', { advanceMs: HOUR_MS });

  it('is returned to the flow as pending, and the flow waits for it', async () => {
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

describe('a worker that shuts down while a call waits for its work', () => {
  const flows = withFlows({ worker: false, sandbox: { refreshMs: HOUR_MS, pollAfterMs: 4_500 } });

  it('returns the pending work to the flow at once, and the next worker goes on', async () => {
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
