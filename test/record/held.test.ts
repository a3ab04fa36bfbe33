/** Records histories of flows that were held, woken or refused in newer ways, for test/replay: `npm run record-histories`. */
import { resumeFlow, wakeFlow } from '../../src/starters/index.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { recorderOf } from './keep-history.js';

describe('histories of flows that were held', () => {
  const flows = withFlows({ wired: true, sandbox: { refreshMs: 2_000, coverageMs: 0 } });
  const { keep } = recorderOf(flows);
  const own = (): { workflowId: string } => ({ workflowId: `kept/${newCase()}` });
  const attention = (workflowId: string, what: string) =>
    until(async () => (await flows.progress(workflowId)).attention === what, { withinMs: 60_000 });

  it('by the database, which comes back', async () => {
    flows.takeDatabaseAway();
    const handle = await flows.refresh({ cnj: newCase(), webhook: false }, own());
    await until(
      async () => (await flows.progress(handle.workflowId)).waitingFor?.startsWith('the database: ') === true,
      { withinMs: 60_000 },
    );
    flows.bringDatabaseBack();
    await handle.result();
    await keep('refresh-held-by-database', handle.workflowId);
  });

  it('by a person, while events come', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj, 1);
    const handle = await flows.refresh({ cnj }, own());
    await flows.parked(handle.workflowId);
    for (let wake = 0; wake < 3; wake += 1) await wakeFlow(flows.client, handle.workflowId);
    await handle.result();
    await keep('refresh-parked-and-woken', handle.workflowId);
  });

  it('by refused credentials in the middle of an import', async () => {
    await flows.fault({ operation: 'listLawyerCases', fault: 'status', status: 401, times: 1, after: 1 });
    const handle = await flows.startPlain('importLawyerCases', { oab: 'SP:330004', pageSize: 5 });
    await attention(handle.workflowId, 'credentials');
    await resumeFlow(flows.client, handle.workflowId, { by: 'ana' });
    await handle.result();
    await keep('import-credentials', handle.workflowId);
  });
});
