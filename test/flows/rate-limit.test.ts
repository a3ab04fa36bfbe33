/** The account's rate belongs to its queue on the server, so any number of workers stay under it together. */
import { burstOf, callsPerSecond } from '../../src/workers/charged-worker-options.js';
import { newCase } from '../support/case-number.js';
import { withFlows } from './with-flows.js';

const PER_MINUTE = 600;
const CALLS = 60;

describe('two workers of one account', () => {
  const flows = withFlows({ account: { requestsPerMinute: PER_MINUTE, concurrency: 20 } });

  it('together are given no more calls than the account allows, and none is refused or lost', async () => {
    await flows.startWorker();
    const handles = await Promise.all(Array.from({ length: CALLS }, () => flows.refresh({ cnj: newCase() })));
    const results = await Promise.all(handles.map((handle) => handle.result()));
    expect(results.every(({ receipts }) => receipts.length === 1)).toBe(true);

    const started = (await Promise.all(handles.map(({ workflowId }) => startedAt(workflowId)))).sort((a, b) => a - b);
    expect(started).toHaveLength(CALLS);
    const allowed = (windowMs: number): number => burstOf(PER_MINUTE) + callsPerSecond(PER_MINUTE) * (windowMs / 1_000);
    for (const windowMs of [500, 1_000, 2_000, 4_000]) {
      const counts = started.map((from) => started.filter((at) => at >= from && at < from + windowMs).length);
      expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil(allowed(windowMs)));
    }
    expect(allowed(60_000)).toBeLessThanOrEqual(PER_MINUTE);
  });

  /** When the server handed out the charged call, by the server's clock. */
  async function startedAt(workflowId: string): Promise<number> {
    const { events } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
    const scheduled = (events ?? []).find(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === 'requestRefresh',
    );
    const started = (events ?? []).find((event) =>
      event.activityTaskStartedEventAttributes?.scheduledEventId?.equals(scheduled?.eventId ?? 0),
    );
    const { seconds, nanos } = started?.eventTime ?? {};
    return Number(seconds) * 1_000 + (nanos ?? 0) / 1e6;
  }
});
