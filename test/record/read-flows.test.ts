/** Records histories of the flows that read, for test/replay. Like its neighbours not part of the suite: `npm run record-histories`. */
import { resumeFlow } from '../../src/starters/index.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { recorderOf } from './keep-history.js';

const FILTERS = { searchElectoralBoard: { from: 'data_inicio', to: 'data_fim', courts: 'tribunais' } };

describe('histories of flows that read', () => {
  const flows = withFlows({ settings: { gaps: { filters: FILTERS } } });
  const { keep, record } = recorderOf(flows);

  it.each([
    ['call-operation', 'callOperation', { operation: 'getCase', params: { cnj: newCase() } }],
    ['call-operation-legacy', 'callOperation', { operation: 'searchLegacy', params: { q: 'seguro' } }],
    [
      'call-operation-file',
      'callOperation',
      { operation: 'getElectoralEditionPdf', params: { id: 'djee-sp-2026-03-10' } },
    ],
    ['call-operation-refused', 'callOperation', { operation: 'getCase', params: { cnj: '0000001-18.1999.8.01.0001' } }],
    ['call-operation-guarded', 'callOperation', { operation: 'listPublicDocuments', params: { cnj: newCase() } }],
    [
      'collect-pages',
      'collectPages',
      { operation: 'listPrecatorios', params: { ano_orcamentario: 2027 }, maxPages: 3 },
    ],
    [
      'collect-pages-cursor',
      'collectPages',
      { operation: 'listMovements', params: { cnj: newCase(), limit: 2 }, maxPages: 3 },
    ],
    ['read-case', 'readCase', { cnj: newCase(), include: ['cover', 'movements'] }],
    ['summarize-case', 'summarizeCase', { cnj: newCase() }],
    [
      'search-board',
      'searchBoard',
      { from: '2026-09-01', to: '2026-09-15', filters: { courts: ['TSE'] }, maxPages: 9 },
    ],
  ])('%s', (reason, type, input) => record(reason, type, input));

  it('read-case with documents after their refresh', async () => {
    const cnj = newCase();
    await (await flows.refresh({ cnj, documents: true })).result();
    await record('read-case-documents', 'readCase', { cnj, include: ['documents'] });
  });

  it('summarize-case parked while it is not ready', async () => {
    await flows.fault({ operation: 'getSummary', fault: 'status', status: 404 });
    const handle = await flows.startPlain('summarizeCase', { cnj: newCase() });
    await flows.parked(handle.workflowId);
    await resumeFlow(flows.client, handle.workflowId, { by: 'ana' });
    await handle.result();
    await keep('summarize-case-not-ready', handle.workflowId);
  });

  it('await-request of our own work and of foreign work', async () => {
    const refresh = await flows.refresh({ cnj: newCase(), webhook: '1h' }, { workflowId: `kept/${newCase()}` });
    await record('await-request-ours', 'awaitRequest', { requestId: await flows.requestIdOf(refresh.workflowId) });
    const requestId = await flows.post(`processos/cnj/${newCase()}/solicitar-atualizacao`);
    await record('await-request-foreign', 'awaitRequest', { requestId });
  });
});
