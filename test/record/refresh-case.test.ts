/**
 * Records histories of `refreshCase` for test/replay. Not part of the suite: run it with `npm run record-histories` when a
 * path is new. Kept files are never recorded again: a change that breaks their replay needs `patched`.
 */
import { sql } from 'kysely';
import { resumeFlow, settleCharge, wakeFlow } from '../../src/starters/index.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { recorderOf } from './keep-history.js';

const HAPPY = '1000001-51.2026.8.26.0100';

describe('histories of refreshCase', () => {
  const flows = withFlows({ sandbox: { refreshMs: 800 } });
  const { keep } = recorderOf(flows);
  const own = (): { workflowId: string } => ({ workflowId: `kept/${newCase()}` });

  it('webhook path with documents and files', async () => {
    const handle = await flows.refresh({ cnj: HAPPY, documents: true, download: true, webhook: true }, own());
    await flows.waiting(handle.workflowId, /^the webhook of the service$/);
    await wakeFlow(flows.client, handle.workflowId, { event: 'atualizacao_processo_concluida' });
    await handle.result();
    await keep('refresh-webhook-documents-files', handle.workflowId);
  });

  it('polling path, plain JSON start, woken twice while polling', async () => {
    const handle = await flows.startPlain('refreshCase', { cnj: newCase(), documents: true, maxPages: 2 });
    await handle.signal('wake', {});
    await handle.signal('wake', { reason: 'again' });
    await handle.result();
    await keep('refresh-polling-plain-json', handle.workflowId);
  });

  it('parked on an unknown charge and settled as not charged', async () => {
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    const handle = await flows.refresh({ cnj: newCase() }, own());
    await flows.parked(handle.workflowId);
    await wakeFlow(flows.client, handle.workflowId);
    await settleCharge(flows.client, handle.workflowId, { step: 'requestRefresh', decision: 'not-charged', by: 'ana' });
    await handle.result();
    await keep('refresh-parked-not-charged', handle.workflowId);
  });

  it('parked on an unknown charge and settled as charged, by its status', async () => {
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    const handle = await flows.refresh({ cnj: newCase() }, own());
    await flows.parked(handle.workflowId);
    await settleCharge(flows.client, handle.workflowId, { step: 'requestRefresh', decision: 'charged', by: 'ana' });
    await handle.result();
    await keep('refresh-parked-charged', handle.workflowId);
  });

  it('abandoned', async () => {
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    const handle = await flows.refresh({ cnj: newCase() }, own());
    await flows.parked(handle.workflowId);
    await settleCharge(flows.client, handle.workflowId, { step: 'requestRefresh', decision: 'abandon', by: 'ana' });
    await handle.result().catch(() => undefined);
    await keep('refresh-abandoned', handle.workflowId);
  });

  it('throttled, parked on credentials and resumed', async () => {
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 429, retryAfter: 1 });
    await flows.fault({ operation: 'listPublicDocuments', fault: 'status', status: 401 });
    const handle = await flows.refresh({ cnj: newCase(), documents: true }, own());
    await flows.parked(handle.workflowId);
    await resumeFlow(flows.client, handle.workflowId, { by: 'ana' });
    await handle.result();
    await keep('refresh-throttled-credentials-resumed', handle.workflowId);
  });

  it('joined to an equal call of another flow', async () => {
    const cnj = newCase();
    const [first, second] = await Promise.all([flows.refresh({ cnj }, own()), flows.refresh({ cnj }, own())]);
    const [firstResult] = await Promise.all([first.result(), second.result()]);
    await keep('refresh-joined', (firstResult.reused ? first : second).workflowId);
  });

  it('cancelled while it waits', async () => {
    const handle = await flows.refresh({ cnj: '0123456-61.2022.3.00.0000', webhook: '1h' }, own());
    await flows.waiting(handle.workflowId, /^the webhook of the service$/);
    await flows.client.workflow.getHandle(handle.workflowId).cancel();
    await handle.result().catch(() => undefined);
    await keep('refresh-cancelled', handle.workflowId);
  });

  it('refused for bad input', async () => {
    const handle = await flows.startPlain('refreshCase', { cnj: '1' });
    await handle.result().catch(() => undefined);
    await keep('refresh-invalid-input', handle.workflowId);
  });

  it('refused for an account that is not configured', async () => {
    const handle = await flows.startPlain('refreshCase', { cnj: newCase(), account: 'other' });
    await handle.result().catch(() => undefined);
    await keep('refresh-unknown-account', handle.workflowId);
  });

  it('held by an outage, then by a 429, and released', async () => {
    const hold = (columns: string) =>
      sql`insert into tramita.account_hold (account, probed_at) values ('default', now()) on conflict (account) do update
        set ${sql.raw(columns)}`.execute(flows.database.db);
    await hold('probed_at = now()');
    await hold('outage_since = now(), failures = 3');
    const handle = await flows.refresh({ cnj: newCase() }, own());
    await waitUntilWaitingFor(handle.workflowId, 'has been down for account');
    await hold("outage_since = null, throttled_until = now() + interval '5 s'");
    await waitUntilWaitingFor(handle.workflowId, 'which asked account');
    await handle.result();
    await keep('refresh-held', handle.workflowId);
  });

  function waitUntilWaitingFor(workflowId: string, what: string): Promise<true> {
    return until(async () => (await flows.progress(workflowId)).waitingFor?.includes(what) === true);
  }
});
