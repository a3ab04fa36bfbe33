/**
 * Events and Actions from real histories (targets). Actions: start, each activity attempt that the server handed
 * out, timers, signals, upserts (temporal.io pricing, seen 2026-11). Counts never vary; speeds are not looked at.
 */
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { wakeFlow } from '../../src/starters/index.js';
import { withFlows } from './with-flows.js';

describe('what a refresh costs in the engine', () => {
  const flows = withFlows({ sandbox: { refreshMs: 1_000, pollAfterMs: 100 } });

  it('by webhook, with documents: at most 6 Actions and 30 events however long the wait is', async () => {
    const cnj = newCase();
    const handle = await flows.refresh({ cnj, documents: true, webhook: '10m' });
    await until(
      async () =>
        (await flows.progress(handle.workflowId)).waitingFor === 'the webhook of the service' ? true : undefined,
      { what: 'the wait' },
    );
    await until(async () => ((await refreshIsFinal(cnj)) ? true : undefined), { what: 'the service to finish' });
    await wakeFlow(flows.client, handle.workflowId, { event: 'atualizacao_processo_concluida' });
    await handle.result();
    const counts = await countsOf(handle.workflowId);
    expect(counts).toMatchObject({ activities: 3, timers: 1, signals: 1, upserts: 0 });
    expect(counts.actions).toBeLessThanOrEqual(6);
    expect(counts.events).toBeLessThanOrEqual(30);
  });

  it('started as plain JSON it stays within 30 events: one upsert more', async () => {
    const cnj = newCase();
    const handle = await flows.startPlain('refreshCase', { cnj, documents: true, webhook: '10m' });
    await until(
      async () =>
        (await flows.progress(handle.workflowId)).waitingFor === 'the webhook of the service' ? true : undefined,
      { what: 'the wait' },
    );
    await until(async () => ((await refreshIsFinal(cnj)) ? true : undefined), { what: 'the service to finish' });
    await wakeFlow(flows.client, handle.workflowId);
    await handle.result();
    const counts = await countsOf(handle.workflowId);
    expect(counts.upserts).toBe(1);
    expect(counts.events).toBeLessThanOrEqual(30);
  });

  it.each([1, 50])('by polling, at %d polls: at most 30 events', async (polls) => {
    const cnj = newCase();
    if (polls > 1)
      await flows.fault({
        operation: 'getRequest',
        fault: 'status',
        status: 503,
        body: 'gateway',
        retryAfter: 0,
        times: polls - 1,
      });
    const handle = await flows.refresh({ cnj, documents: true, webhook: false });
    await handle.result();
    const counts = await countsOf(handle.workflowId);
    expect(counts.events).toBeLessThanOrEqual(30);
    expect(counts.pollAttempts).toBeGreaterThanOrEqual(polls);
  });

  async function refreshIsFinal(cnj: string): Promise<boolean> {
    const charge = (await flows.charges()).find(({ subject }) => subject.cnj === cnj);
    if (typeof charge?.requestId !== 'string') return false;
    const answer = await fetch(`${flows.sandbox.url}/v1/requests/${charge.requestId}`, {
      headers: { 'x-api-key': 'sandbox-key' },
    });
    await answer.arrayBuffer();
    return answer.status === 200;
  }

  async function countsOf(workflowId: string) {
    const { events = [] } = await flows.client.workflow.getHandle(workflowId).fetchHistory();
    const list = events ?? [];
    const timers = list.filter((event) => event.timerStartedEventAttributes).length;
    const signals = list.filter((event) => event.workflowExecutionSignaledEventAttributes).length;
    const activities = list.filter((event) => event.activityTaskScheduledEventAttributes).length;
    const upserts = list.filter((event) => event.upsertWorkflowSearchAttributesEventAttributes).length;
    const attempts = list.map((event) => event.activityTaskStartedEventAttributes?.attempt ?? 0);
    return {
      events: list.length,
      activities,
      timers,
      signals,
      upserts,
      actions: 1 + attempts.reduce((sum, attempt) => sum + attempt, 0) + timers + signals + upserts,
      pollAttempts: Math.max(...attempts),
    };
  }
});
