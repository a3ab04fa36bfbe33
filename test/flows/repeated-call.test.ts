/** A call that may be repeated, and whose end stays unknown. Takes a minute and a half: the waits between its tries grow. */
import { startDeactivateMonitor } from '../../src/starters/index.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

describe('a DELETE whose end stays unknown', () => {
  const flows = withFlows();

  it('is sent five times, then only when a person resumes its flow', async () => {
    await flows.fault({ operation: 'deactivateAdminMonitor', fault: 'status', status: 500, body: {}, times: 5 });
    const { workflowId } = await startDeactivateMonitor(flows.deps, { kind: 'administrative', id: 'm-1' });
    const sent = async (): Promise<number> => (await flows.requests('deactivateAdminMonitor')).length;
    await until(async () => ((await flows.progress(workflowId)).attention === 'stalled' ? true : undefined), {
      what: 'the flow to park',
      withinMs: 150_000,
    });
    expect(await sent()).toBe(5);
    await flows.client.workflow.getHandle(workflowId).signal('wake', { reason: 'relay' });
    // The answer to a query includes what the signal before it did.
    expect(await flows.progress(workflowId)).toMatchObject({ state: 'parked', attention: 'stalled' });
    expect(await sent()).toBe(5);
    await flows.client.workflow.getHandle(workflowId).cancel();
  });
});
