/** The service has forgotten a request id. The status of the case may still show the end of the refresh. */
import { newCase } from '../support/case-number.js';
import { withFlows } from './with-flows.js';

/** More times than a refresh is polled. */
const ALWAYS = 1_000;

describe('a refresh whose request id is forgotten while it runs', () => {
  const flows = withFlows({ sandbox: { refreshMs: 2_500, pollAfterMs: 200 } });
  const forget = (cnj: string) =>
    flows.fault({ operation: 'getRequest', fault: 'status', status: 404, times: ALWAYS, cnj });
  const chargesOf = async (cnj: string): Promise<number> => (await flows.charges({ cnj })).length;

  it('ends by the status of its case', async () => {
    const cnj = newCase();
    await forget(cnj);
    const handle = await flows.refresh({ cnj });
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(cnj)).toBe(1);
  });

  it('is polled again when the status does not answer', async () => {
    const cnj = newCase();
    await forget(cnj);
    await flows.fault({ operation: 'getRefreshStatus', fault: 'status', status: 503, body: 'gateway', times: 1, cnj });
    const handle = await flows.refresh({ cnj });
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
  });

  it('parks when the status knows nothing either, and reports what that read was charged', async () => {
    const cnj = newCase();
    await forget(cnj);
    await flows.fault({
      operation: 'getRefreshStatus',
      fault: 'status',
      status: 404,
      times: 1,
      cnj,
      body: { error: { code: 'NOTHING_YET' }, meta: { creditsCharged: 0.05, searchLogId: 'log-1' } },
    });
    const handle = await flows.refresh({ cnj });
    const parked = await flows.parked(handle.workflowId);
    expect(parked).toMatchObject({ attention: 'unknown-charge', spent: { known: '0.15' } });
    expect(parked.steps).toContainEqual(expect.objectContaining({ step: 'free/getRefreshStatus', amount: '0.05' }));
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });
});
