/** Records histories of imports, notices, monitors and portfolios for test/replay: `npm run record-histories`. */
import { resumeFlow, wakeFlow } from '../../src/starters/index.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { recorderOf } from './keep-history.js';

describe('histories of flows that watch', () => {
  const flows = withFlows({ sandbox: { refreshMs: 2_500, coverageMs: 0 } });
  const { keep, record } = recorderOf(flows);

  it.each([
    ['import-lawyer-cases', 'importLawyerCases', { oab: 'SP:123456', pageSize: 5 }],
    ['sync-notices', 'syncNotices', { oabs: ['SP:123456', 'RJ:54321'], fullText: true }],
    ['notice-monitor-created', 'ensureNoticeMonitor', { oabs: ['SP:222333'], terms: ['Acme'] }],
    ['notice-monitor-updated', 'ensureNoticeMonitor', { oabs: ['SP:222333'], terms: ['Beta'] }],
    ['radar', 'createRadar', { reference: 'acme', definition: { termo: 'Acme' } }],
    ['case-monitor', 'createCaseMonitor', { reference: 'one', definition: { numero_cnj: newCase() } }],
    ['deactivate-without-path', 'deactivateMonitor', { kind: 'radar', id: '1' }],
    ['audit-monitors', 'auditMonitors', {}],
    ['portfolio', 'refreshPortfolio', { name: 'kept', cases: [newCase(), newCase()] }],
  ])('%s', (reason, type, input) => record(reason, type, input));

  it('radar-found-by-listing', async () => {
    await flows.fault({ operation: 'createRadar', fault: 'F4' });
    await record('radar-found-by-listing', 'createRadar', { reference: 'lost', definition: { termo: 'Lost' } });
  });

  it('refresh-adopted-by-status', async () => {
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    const handle = await flows.startPlain('refreshCase', { cnj: newCase() });
    await flows.parked(handle.workflowId);
    await new Promise((resolve) => setTimeout(resolve, 4_500));
    await wakeFlow(flows.client, handle.workflowId, {});
    await handle.result();
    await keep('refresh-adopted-by-status', handle.workflowId);
  });

  it('import whose list loops, resumed', async () => {
    await flows.fault({ operation: 'listLawyerCases', fault: 'F17', variant: 'first', times: 1, after: 1 });
    const handle = await flows.startPlain('importLawyerCases', { oab: 'SP:330003', pageSize: 5, maxPaidChecks: 1 });
    await until(async () => (await flows.progress(handle.workflowId)).attention === 'stalled');
    await resumeFlow(flows.client, handle.workflowId, { by: 'ana' });
    await handle.result();
    await keep('import-resumed', handle.workflowId);
  });

  // Recorded with the patch `charged-pages-say-where` off: as by flows of 0.2.0, which know neither `at` nor `isStuck`.
  it('import with a charged page, resumed by an older worker', async () => {
    const data = {
      items: [{ numeroCnj: newCase() }],
      cobertura: { parcial: false, completa: true, atualizadoEm: '2020-01-01T10:00:00Z' },
      links: { next: null },
    };
    const body = { data, meta: { creditsCharged: 0.5 } };
    await flows.fault({ operation: 'listLawyerCases', fault: 'status', status: 200, body, times: 1, after: 1 });
    const handle = await flows.startPlain('importLawyerCases', { oab: 'SP:330004', pageSize: 5 });
    await until(async () => (await flows.progress(handle.workflowId)).attention === 'stalled');
    await resumeFlow(flows.client, handle.workflowId, { by: 'ana' });
    await handle.result();
    await keep('import-charged-by-old-worker', handle.workflowId);
  });
});
