/** The rates of an account belong to its queues on the server, so any number of workers stay under them together. */
import { burstOf, callsPerSecond } from '../../src/workers/charged-worker-options.js';
import { newCase } from '../support/case-number.js';
import { withFlows } from './with-flows.js';

const PER_MINUTE = 600;
const CALLS = 120;
const POLLS_PER_MINUTE = 150;
/** When a process pauses, the calls of this time may be seen at once. Without a rate it would be far more. */
const STALL_MS = 4_000;

function expectUnderRate(times: readonly number[], perMinute: number): void {
  const allowed = (windowMs: number): number => burstOf(perMinute) + callsPerSecond(perMinute) * (windowMs / 1_000);
  for (const windowMs of [500, 1_000, 2_000, 4_000]) {
    const counts = times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length);
    expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil(allowed(windowMs + STALL_MS)));
  }
  expect(allowed(60_000)).toBeLessThanOrEqual(perMinute);
}

describe('polls of an account', () => {
  const limits = { requestsPerMinute: 60_000, concurrency: 20, pollsPerMinute: POLLS_PER_MINUTE };
  const flows = withFlows({ account: limits, sandbox: { refreshMs: 8_000, pollAfterMs: 100 } });

  it('have one rate across two workers, while paid calls go at their own', async () => {
    await flows.startWorker();
    const handles = await Promise.all(
      Array.from({ length: 14 }, () => flows.refresh({ cnj: newCase(), webhook: false })),
    );
    const timesOf = async (id: string): Promise<readonly number[]> =>
      (await flows.requests(id)).map(({ at }) => Date.parse(at));
    await Promise.all(handles.map((handle) => handle.result()));
    // No paid call waits for the polls, which go on for as long as the refreshes.
    const paid = await timesOf('requestRefresh');
    expect(Math.max(...paid) - Math.min(...paid)).toBeLessThan(20_000);
    const polls = await timesOf('getRequest');
    expect(polls.length).toBeGreaterThan(handles.length);
    expectUnderRate(polls, POLLS_PER_MINUTE);
  });
});

describe('two workers of one account', () => {
  const flows = withFlows({ account: { requestsPerMinute: PER_MINUTE, concurrency: 20 } });

  it('together get no more calls than the account allows, and no call is refused or lost', async () => {
    await flows.startWorker();
    const handles = await Promise.all(Array.from({ length: CALLS }, () => flows.refresh({ cnj: newCase() })));
    const results = await Promise.all(handles.map((handle) => handle.result()));
    // A call that a paused machine did not send at all is sent again.
    const sent = results.flatMap(({ receipts }) => receipts.filter(({ outcome }) => outcome !== 'NOT_SENT'));
    expect(sent.map(({ outcome }) => outcome)).toEqual(Array.from({ length: CALLS }, () => 'DONE'));
    expect(await flows.charges()).toHaveLength(CALLS);

    const started = (await Promise.all(handles.map(({ workflowId }) => startedAt(workflowId)))).sort((a, b) => a - b);
    expect(started).toHaveLength(CALLS);
    expectUnderRate(started, PER_MINUTE);
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
