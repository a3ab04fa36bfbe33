/** Webhooks that are expected and do not come: later flows poll after the hint, until a webhook comes. */
import { sql } from 'kysely';
import { createInbox, cnjKey } from '../../src/inbox/index.js';
import { decideSilence } from '../../src/inbox/decide-silence.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { incomingEvent } from '../store/support.js';
import { withFlows } from './with-flows.js';

describe('webhooks of an account are silent', () => {
  it.each<[string, readonly boolean[], boolean, boolean]>([
    ['not before anything was expected', [], false, false],
    ['after one that did not come when none was ever delivered', [false], false, true],
    ['not after one or two when some were delivered before', [false, false], true, false],
    ['after three in a row that did not come', [false, false, false], true, true],
    ['not once one of the last three has come', [false, true, false], true, false],
  ])('%s', (_what, came, everDelivered, expected) => {
    expect(decideSilence({ came, everDelivered })).toBe(expected);
  });
});

describe('a flow whose account’s webhooks do not come', () => {
  // The hint is long enough for the test to see the wait.
  const flows = withFlows({ sandbox: { refreshMs: 500, pollAfterMs: 10_000 }, env: { TRAMITA_WEBHOOKS: 'on' } });
  const waitingFor = (workflowId: string): Promise<string> =>
    until(async () => {
      const { state, waitingFor: what } = await flows.progress(workflowId);
      return state === 'waiting' && what !== null ? what : undefined;
    });

  it('polls after the hint, says why, and waits again once a webhook has come', async () => {
    // No webhook is delivered here: the first flow waits its full time, and ends by polling.
    await (await flows.refresh({ cnj: newCase(), webhook: '2s' })).result();

    const second = newCase();
    const handle = await flows.refresh({ cnj: second });
    expect(await waitingFor(handle.workflowId)).toContain('the last webhooks of the account did not arrive');
    expect(await handle.result()).toMatchObject({ status: 'done' });
    const inbox = createInbox({ db: flows.database.db, clock: Date.now });
    expect(await inbox.areWebhooksSilent('default')).toBe(true);

    await inbox.record(incomingEvent({ keys: [cnjKey(second)] }));
    expect(await inbox.areWebhooksSilent('default')).toBe(false);
    const cnj = newCase();
    const third = await flows.refresh({ cnj });
    expect(await waitingFor(third.workflowId)).toBe('the webhook of the service');
    await flows.client.workflow.getHandle(third.workflowId).terminate('seen');

    // A call that is joined long after its webhook came or was lost, as after a restore.
    await sql`
      update tramita.intent set opened_at = opened_at - interval '11 minutes'
      where workflow_id = ${third.workflowId}`.execute(flows.database.db);
    const fourth = await flows.refresh({ cnj });
    expect(await waitingFor(fourth.workflowId)).toContain('the service to finish');
    expect(await fourth.result()).toMatchObject({ status: 'done', spent: { known: '0' } });
  });
});
