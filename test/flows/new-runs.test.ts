/** Flows of many pages in bundles whose histories count as long after two pages. They end as in one run and pay each page once. */
import { MEMO_MAX_SPEND } from '../../src/protocol/index.js';
import { resumeFlow } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { startShortWorker } from './short-waits.js';
import { withFlows } from './with-flows.js';

const FILTERS = { from: 'data_inicio', to: 'data_fim', courts: 'tribunais' };
const MANY_DOCUMENTS = '7000055-03.2023.7.01.0001';

describe('a flow that continues in new runs', () => {
  const flows = withFlows({ worker: false, settings: { gaps: { filters: { searchElectoralBoard: FILTERS } } } });
  beforeAll(() => startShortWorker(flows, { './history-length.js': 'long-history.ts' }));

  /** Plays a flow, and returns its result and the numbers of its runs and charges. */
  async function play(type: string, input: object) {
    const before = (await flows.charges()).length;
    const handle = await flows.client.workflow.start(type, {
      taskQueue: flows.taskQueue,
      workflowId: `${type}-${newCase()}`,
      args: [input],
      memo: { kept: 'so far' },
    });
    const result = (await handle.result()) as Readonly<Record<string, unknown>>;
    const charges = (await flows.charges()).slice(before).length;
    const listed = async (): Promise<number | undefined> => {
      let runs = 0;
      for await (const run of flows.client.workflow.list({ query: `WorkflowId = "${handle.workflowId}"` })) {
        runs += 1;
        expect(run.memo).toMatchObject({ kept: 'so far' });
      }
      return runs > 1 ? runs : undefined;
    };
    // Runs are listed some time after they begin.
    return { result, charges, runs: await until(listed, { what: `further runs of ${type}` }) };
  }

  it('collects every page and pays each once (collectPages)', async () => {
    const params = { ano_orcamentario: 2027 };
    const { result, charges, runs } = await play('collectPages', {
      operation: 'listPrecatorios',
      params,
      maxPages: 100,
    });
    expect(result).toMatchObject({ complete: true, spent: { unknown: 0 } });
    expect(result['items']).toBeGreaterThan(20);
    expect(result['pages']).toBe(Math.ceil(Number(result['items']) / 20));
    expect(charges).toBe(result['pages']);
    expect((result['receipts'] as readonly unknown[]).length).toBe(Math.min(50, charges));
    expect(runs).toBeGreaterThan(1);
  });

  it('keeps the cap that a person has raised', async () => {
    const handle = await flows.startPlain('collectPages', {
      operation: 'listPrecatorios',
      params: { ano_orcamentario: 2028 },
      maxPages: 100,
      maxSpend: '0.50',
    });
    await flows.parked(handle.workflowId);
    await resumeFlow(flows.client, handle.workflowId, { by: 'ana', maxSpend: '99.00' });
    const { memo, runId } = await until(
      async () => {
        const description = await handle.describe();
        return description.status.name === 'RUNNING' ? undefined : description;
      },
      { withinMs: 60_000, what: `${handle.workflowId} to end without asking again` },
    );
    expect(runId).not.toBe((handle as { readonly firstExecutionRunId?: string }).firstExecutionRunId);
    expect(memo).toMatchObject({ [MEMO_MAX_SPEND]: '99.00' });
    expect(await handle.result()).toMatchObject({ complete: true });
  });

  it('reuses in its later runs what another flow has bought since its start', async () => {
    const before = (await flows.charges()).length;
    const input = { operation: 'listPrecatorios', params: { ano_orcamentario: 2029 }, maxPages: 100 };
    const first = await flows.startPlain('collectPages', { ...input, maxSpend: '0.50' });
    await flows.parked(first.workflowId);
    const other = (await (await flows.startPlain('collectPages', input)).result()) as { readonly pages: number };
    expect(other.pages).toBeGreaterThan(2);
    await resumeFlow(flows.client, first.workflowId, { by: 'ana', maxSpend: '99.00' });
    expect(await first.result()).toMatchObject({ complete: true, pages: other.pages });
    expect((await flows.charges()).length - before).toBe(other.pages);
  });

  it('searches all windows, also when a run ends within a window (searchBoard)', async () => {
    const input = { from: '2026-09-01', to: '2026-10-05', filters: { courts: ['TSE'] }, maxPages: 12 };
    const { result, charges, runs } = await play('searchBoard', input);
    expect(charges).toBe(result['pages']);
    expect(result['windows']).toBeGreaterThan(2);
    expect(runs).toBeGreaterThan(1);
  });

  it('stores all listed documents and their files (refreshCase)', async () => {
    const input = { cnj: MANY_DOCUMENTS, documents: true, download: true, maxPages: 10, webhook: false };
    const { result, runs } = await play('refreshCase', input);
    expect(result).toMatchObject({ status: 'done', documentCount: 45, moreDocuments: false });
    const documents = result['documents'] as readonly { readonly stored?: string }[];
    expect(documents.filter(({ stored }) => stored !== undefined)).toHaveLength(45);
    expect(runs).toBeGreaterThan(1);
  });

  it('returns all parts of the case (readCase)', async () => {
    const input = { cnj: MANY_DOCUMENTS, include: ['cover', 'movements', 'documents'], maxPages: 10 };
    const { result, runs } = await play('readCase', input);
    expect(result).toMatchObject({ cover: {}, documentCount: 45, moreMovements: false });
    expect((result['movements'] as readonly unknown[]).length).toBe(result['movementCount']);
    expect(runs).toBeGreaterThan(1);
  });

  it('leaves ledger and charge book equal', async () => {
    expect(await auditFlows(flows)).toEqual([]);
  });
});
