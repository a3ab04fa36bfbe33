/** Each flow has its worker stopped midway. The next worker goes on, and nothing is paid twice. */
import {
  startAwaitRequest,
  startCallOperation,
  startCollectPages,
  startReadCase,
  startSearchBoard,
  startSummarizeCase,
  type FlowHandle,
} from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

const FILTERS = { searchElectoralBoard: { from: 'data_inicio', to: 'data_fim', courts: 'tribunais' } };

/** The other flows take the same paths: TRAMITA_ALL_RESTARTS=1 runs them too. */
const itForAll = process.env['TRAMITA_ALL_RESTARTS'] === '1' ? it : it.skip;

describe('when a worker stops in the middle of a flow', () => {
  const flows = withFlows({ worker: false, settings: { gaps: { filters: FILTERS } }, sandbox: { refreshMs: 1_500 } });
  const restart = async (start: () => Promise<FlowHandle<unknown>>, seen: string): Promise<string[]> => {
    const before = (await flows.charges()).length;
    const requestsBefore = (await flows.requests()).length;
    const first = await flows.startWorker();
    const handle = await start();
    await until(
      async () => (await flows.requests()).slice(requestsBefore).some(({ operation }) => operation === seen),
      {
        what: `a call of ${seen}`,
      },
    );
    first.shutdown();
    const second = await flows.startWorker();
    await handle.result();
    second.shutdown();
    return (await flows.charges()).slice(before).map(({ operation }) => operation);
  };

  it('collectPages pays each page once', async () => {
    const params = { cnj: '1000001-51.2026.8.26.0100', limit: 2 };
    const start = () => startCollectPages(flows.deps, { operation: 'listMovements', params, maxPages: 4 });
    expect(await restart(start, 'listMovements')).toEqual(Array.from({ length: 4 }, () => 'listMovements'));
  });

  itForAll('readCase pays each part once', async () => {
    const start = () => startReadCase(flows.deps, { cnj: newCase(), include: ['cover', 'movements'] });
    expect(await restart(start, 'getCase')).toEqual(['getCase', 'listMovements']);
  });

  it('summarizeCase pays request and read once', async () => {
    const start = () => startSummarizeCase(flows.deps, { cnj: newCase() });
    expect(await restart(start, 'requestSummary')).toEqual(['requestSummary', 'getSummary']);
  });

  itForAll('callOperation pays once for work that ends later', async () => {
    const params = { cnj: newCase() };
    const start = () => startCallOperation(flows.deps, { operation: 'requestSummary', params });
    expect(await restart(start, 'requestSummary')).toEqual(['requestSummary']);
  });

  itForAll('searchBoard pays each window once', async () => {
    const filters = { courts: ['TSE'] };
    const start = () => startSearchBoard(flows.deps, { from: '2026-09-01', to: '2026-09-21', filters, maxPages: 9 });
    const charged = await restart(start, 'searchElectoralBoard');
    const windows = await flows.requests('searchElectoralBoard');
    expect(charged).toHaveLength(windows.length);
  });

  it('awaitRequest goes on polling for free', async () => {
    const requestId = await flows.post(`processos/cnj/${newCase()}/solicitar-atualizacao`);
    const start = () => startAwaitRequest(flows.deps, { requestId });
    expect(await restart(start, 'getRequest')).toEqual([]);
  });
});
