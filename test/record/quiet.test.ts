/** Records histories of flows that asked for no person in the first minute after they parked. See refresh-case.test.ts. */
import { settleCharge } from '../../src/starters/index.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { keepHistory } from './keep-history.js';

describe('histories of a quiet minute', () => {
  const flows = withFlows({ asksAfterAMinute: true, sandbox: { refreshMs: 800 } });

  it('healed by evidence, without an attention', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj, 1);
    const handle = await flows.refresh({ cnj });
    await handle.result();
    await keepHistory(flows.client, 'refresh-healed-quietly', handle.workflowId);
  });

  it('parked until a person was asked after the minute and decided', async () => {
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 502, body: 'gateway' });
    const handle = await flows.refresh({ cnj: newCase() });
    await until(async () => (await flows.progress(handle.workflowId)).attention !== null, {
      withinMs: 110_000,
    });
    await settleCharge(flows.client, handle.workflowId, { step: 'requestRefresh', decision: 'not-charged', by: 'ana' });
    await handle.result();
    await keepHistory(flows.client, 'refresh-asked-after-a-minute', handle.workflowId);
  });
});
