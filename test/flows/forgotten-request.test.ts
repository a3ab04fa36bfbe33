/** The service has forgotten a request id. The status of the case may still show the end of the refresh. */
import { readDetails, settleCharge } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
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

describe('a request id that a person gives, and that the service does not know', () => {
  const flows = withFlows();
  const WRONG = '11111111-1111-4111-8111-111111111111';
  /** The details of the flow after its charge was decided as `charged` with the wrong id. */
  const detailsAfterWrongId = async (workflowId: string, step: string): Promise<string> => {
    await flows.parked(workflowId);
    await settleCharge(flows.client, workflowId, { step, decision: 'charged', requestId: WRONG, by: 'ana' });
    return until(
      async () => {
        const details = await readDetails(flows.client, workflowId);
        return details?.includes('does not know request') === true && details.includes('`abandon`')
          ? details
          : undefined;
      },
      { what: 'the flow parked again' },
    );
  };

  it('is named, and its 404 is not shown as the answer of the call', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F1', cnj });
    const handle = await flows.refresh({ cnj });
    const details = await detailsAfterWrongId(handle.workflowId, 'requestRefresh');
    expect(details).toContain(`and got no answer (the service does not know request ${WRONG} (HTTP 404))`);
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  it('leaves it known that a lost answer was paid', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'getCase', fault: 'F12', variant: 'json', cnj });
    const handle = await flows.startPlain('readCase', { cnj, include: ['cover'] });
    const details = await detailsAfterWrongId(handle.workflowId, 'getCase');
    expect(details).toContain('**Needs a person: `charged-lost`.** A call counts as paid');
    expect(details).toContain('the flow ends as `ChargedLost`');
    await handle.terminate('seen');
  });
});
