/** Records the last runs of flows that continued in new runs, for test/replay: each reads what the run before handed on. */
import { startShortWorker } from '../flows/short-waits.js';
import { withFlows } from '../flows/with-flows.js';
import { newCase } from '../support/case-number.js';
import { keepHistory } from './keep-history.js';

const FILTERS = { searchElectoralBoard: { from: 'data_inicio', to: 'data_fim', courts: 'tribunais' } };
const MANY_DOCUMENTS = '7000055-03.2023.7.01.0001';

describe('histories of last runs', () => {
  const flows = withFlows({ worker: false, settings: { gaps: { filters: FILTERS } } });
  beforeAll(() => startShortWorker(flows, { './history-length.js': 'long-history.ts' }));

  it.each([
    [
      'collect-pages',
      'collectPages',
      { operation: 'listPrecatorios', params: { ano_orcamentario: 2027 }, maxPages: 100 },
    ],
    [
      'search-board',
      'searchBoard',
      { from: '2026-09-01', to: '2026-10-05', filters: { courts: ['TSE'] }, maxPages: 12 },
    ],
    [
      'refresh-documents',
      'refreshCase',
      { cnj: MANY_DOCUMENTS, documents: true, download: true, maxPages: 10, webhook: false },
    ],
    ['read-case', 'readCase', { cnj: MANY_DOCUMENTS, include: ['cover', 'movements', 'documents'], maxPages: 10 }],
  ])('%s', async (reason, type, input) => {
    const handle = await flows.client.workflow.start(type, {
      taskQueue: flows.taskQueue,
      workflowId: `kept/${type}-${newCase()}`,
      args: [input],
    });
    await handle.result();
    await keepHistory(flows.client, `${reason}-last-run`, handle.workflowId);
  });
});
