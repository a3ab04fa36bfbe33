import type { CollectPagesInput } from '../../src/protocol/index.js';
import { startCallOperation, startCollectPages } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { withFlows } from './with-flows.js';

const CPF = '90000000175';
/** More pages than any list of the sandbox has. */
const ALL = 100;

describe('collectPages', () => {
  const flows = withFlows();
  const start = (input: CollectPagesInput) => startCollectPages(flows.deps, input);
  const collect = async (input: CollectPagesInput) => (await start(input)).result();
  const startAs = (input: CollectPagesInput, workflowId: string) => flows.startPlain('collectPages', input, workflowId);
  /** The numbers of the charged pages, from the charge book and the request log of the service. */
  const paidPages = async (run: () => Promise<unknown>): Promise<number[]> => {
    const before = (await flows.charges()).length;
    await run();
    const charges = (await flows.charges()).slice(before).map(({ n }) => n);
    const requests = await flows.requests();
    return charges.map((n) => {
      const target = requests.find(({ charge }) => charge === n)?.target ?? '';
      return Number(new URLSearchParams(target.split('?')[1]).get('page') ?? 1);
    });
  };

  it('pays each page once up to the last, and returns the mode of the search', async () => {
    const years = { ano_orcamentario: 2027 };
    const charged = await flows.paid(async () => {
      const handle = await start({ operation: 'listPrecatorios', params: years, maxPages: 100 });
      expect(handle.workflowId).toMatch(/^pages\.default\.listPrecatorios\.[\w-]{32}$/);
      const result = await handle.result();
      expect(result).toMatchObject({ complete: true, search: { mode: 'PRECATORIO_BUDGET' } });
      expect(result.items).toBeGreaterThan(20);
      expect(result.pages).toBe(Math.ceil(result.items / 20));
      expect(result.receipts.map(({ step }) => step).slice(0, 2)).toEqual(['listPrecatorios/1', 'listPrecatorios/2']);
      expect((await flows.progress(handle.workflowId)).counts).toMatchObject({
        pages: result.pages,
        items: result.items,
      });
    });
    expect(new Set(charged)).toEqual(new Set(['listPrecatorios']));
  });

  it('stops at maxPages and reports it, and follows the link of movements', async () => {
    const cnj = '1000001-51.2026.8.26.0100';
    const charged = await flows.paid(async () => {
      const result = await collect({ operation: 'listMovements', params: { cnj, limit: 3 }, maxPages: 2 });
      expect(result).toMatchObject({ pages: 2, items: 6, complete: false, stoppedBy: 'maxPages', search: null });
    });
    expect(charged).toEqual(['listMovements', 'listMovements']);
    const requests = await flows.requests('listMovements');
    expect(JSON.stringify(requests.at(-1))).toContain('cursor=');
  });

  it('is charged per result where the service prices by result', async () => {
    const result = await collect({ operation: 'listCasesByDocument', params: { cpf_cnpj: CPF }, maxPages: 3 });
    expect(result).toMatchObject({ pages: 1, items: 27, complete: true });
    const [charge] = (await flows.charges()).slice(-1);
    expect(charge?.amount).toBeGreaterThan(0);
    expect(result.spent.unknown).toBe(0);
  });

  it('continues a terminated collection without paying its pages again, with and without maxAge', async () => {
    const input = { operation: 'searchTerm', params: { q: 'recomeço', limit: 5 }, maxPages: 3 };
    const { limit: _limit, ...params } = input.params;
    const query = { ...input, params };
    // The second page is slow, so that the test sees the run between the two, also when this process pauses for seconds.
    await flows.fault({ operation: 'searchTerm', fault: 'F7', after: 1, ms: 10_000 });
    const first = await start({ ...query, maxPages: 2 });
    await until(async () => (await flows.progress(first.workflowId)).counts['pages'] === 1, {
      what: 'the first page',
    });
    await flows.client.workflow.getHandle(first.workflowId).terminate('in the middle');
    const before = (await flows.charges()).length;
    const second = await collect({ ...query, maxPages: 2 });
    expect(second.pages).toBe(2);
    expect(second.receipts[0]).toMatchObject({ step: 'searchTerm/1', amount: '0' });
    const total = (await flows.charges()).length;
    expect(total - before).toBeLessThanOrEqual(1);

    expect(await flows.paid(() => collect({ ...query, maxPages: 2, maxAge: '1h' }))).toEqual([]);
    expect(await flows.paid(() => collect({ ...query, maxPages: 3, maxAge: '1h' }))).toEqual(['searchTerm']);
    expect(await flows.paid(() => collect({ ...query, maxPages: 2 }))).toEqual([]);
  });

  it('continues after maxPages without paying a page twice, and starts over once the last page was reached', async () => {
    const query = {
      operation: 'listPrecatorios',
      params: { ano_orcamentario_inicio: '2062', ano_orcamentario_fim: '2064' },
    };
    const pages = (maxPages: number, more: { readonly maxAge?: string; readonly workflowId?: string } = {}) =>
      paidPages(async () => {
        const { workflowId, ...maxAge } = more;
        const input = { ...query, maxPages, ...maxAge };
        const handle = workflowId === undefined ? await start(input) : await startAs(input, workflowId);
        const result: unknown = await handle.result();
        expect(result).toMatchObject(
          maxPages < ALL ? { pages: maxPages, complete: false, stoppedBy: 'maxPages' } : { complete: true },
        );
      });
    expect(await pages(2)).toEqual([1, 2]);
    expect(await pages(4)).toEqual([3, 4]);
    expect(await pages(5, { workflowId: 'another-id' })).toEqual([5]);
    // These pages are paid already: they are counted again, and nothing is bought.
    expect(await pages(4)).toEqual([]);
    const rest = await pages(ALL);
    const last = rest.at(-1) ?? 0;
    expect(rest).toEqual(Array.from({ length: last - 5 }, (_, place) => 6 + place));

    expect(await pages(2)).toEqual([1, 2]);
    expect(await pages(ALL)).toEqual([3, 4, 5, ...rest]);
    // Reusing pages of a complete collection by `maxAge` leaves it complete.
    expect(await pages(2, { maxAge: '1h' })).toEqual([]);
    expect(await pages(1)).toEqual([1]);
  });

  it('starts over when every page of the complete collection is older than maxAge, and continues the new one', async () => {
    const query = { operation: 'listPrecatorios', params: { ano_orcamentario: '2063' } };
    const pages = (more: Partial<CollectPagesInput>) =>
      paidPages(async () => (await start({ ...query, maxPages: ALL, ...more })).result());
    await pages({});
    const endedMs = Date.now();
    await until(() => Date.now() - endedMs > 1_000, {
      what: 'the complete collection to be older than a second',
    });
    expect(await pages({ maxPages: 1, maxAge: '1s' })).toEqual([1]);
    expect(await pages({ maxPages: 2 })).toEqual([2]);
  });

  it('does not reuse a page that was bought outside the collection', async () => {
    const params = { q: 'fora' };
    await (await startCallOperation(flows.deps, { operation: 'searchTerm', params })).result();
    expect(await flows.paid(() => collect({ operation: 'searchTerm', params, maxPages: 1 }))).toEqual(['searchTerm']);
  });

  it('fails when its first page would exceed maxSpend, and parks when a later page would', async () => {
    const params = { ano_orcamentario: 2024 };
    const poor = await start({ operation: 'listPrecatorios', params, maxPages: 3, maxSpend: '0.01' });
    expect((await failureOf(poor)).type).toBe('BudgetExceeded');
    const handle = await start({ operation: 'listPrecatorios', params, maxPages: 3, maxSpend: '0.50' });
    const parked = await flows.parked(handle.workflowId);
    expect(parked).toMatchObject({ attention: 'budget', counts: { pages: 1 } });
    await flows.client.workflow.getHandle(handle.workflowId).terminate('the cap stays');
  });

  it.each([
    [{ operation: 'searchTerm', params: { q: 'x' } }, 'input.maxPages is missing'],
    [{ operation: 'searchTerm', params: { q: 'x' }, maxPages: 0 }, 'input.maxPages'],
    [{ operation: 'searchTerm', params: { q: 'x' }, maxPages: 501 }, 'input.maxPages'],
    [{ operation: 'searchTerm', params: {}, maxPages: 1 }, 'params.q is missing'],
    [{ operation: 'listLawyerCases', params: { oab_numero: '1', oab_estado: 'SP' }, maxPages: 1 }, 'importLawyerCases'],
    [{ operation: 'getCase', params: { cnj: newCase() }, maxPages: 1 }, 'has no pages. Start callOperation'],
    [{ operation: 'listPublicDocuments', params: { cnj: newCase() }, maxPages: 1 }, 'start refreshCase'],
  ])('refuses %j before anything is sent', async (input, problem) => {
    const before = (await flows.requests()).length;
    const failure = await failureOf(await flows.startPlain('collectPages', input));
    expect(failure.type).toBe('InvalidInput');
    expect(failure.message).toContain(problem);
    expect(await flows.requests()).toHaveLength(before);
  });

  it('leaves ledger and charge book equal', async () => {
    expect(await auditFlows(flows)).toEqual([]);
  });

  // This fault changes answers without the charge book, so it comes after the audit.
  it.each([
    ['self', 'loop', 1, 1],
    ['first', 'loop', 2, 2],
  ])(
    'stops without a further payment when the next link points back (%s)',
    async (variant, stoppedBy, after, pages) => {
      await flows.fault({ operation: 'listPrecatorios', fault: 'F17', variant, after: after - 1 });
      const params = { ano_orcamentario: 2020 + after };
      const charged = await flows.paid(async () => {
        const result = await collect({ operation: 'listPrecatorios', params, maxPages: 4 });
        expect(result).toMatchObject({ complete: false, stoppedBy, pages });
      });
      expect(charged).toHaveLength(pages);
    },
  );

  // The interface names no paging member here, so a service may state only the number of items.
  it('continues by page number when the service states only the number of items', async () => {
    const page = (ids: readonly number[]): object => ({
      operation: 'searchTerm',
      fault: 'status',
      status: 200,
      body: { data: { items: ids.map((id) => ({ id })), total: 5 }, meta: { creditsCharged: 0.3 } },
    });
    for (const ids of [[1, 2], [3, 4], [5]]) await flows.fault({ ...page(ids) });
    const result = await collect({ operation: 'searchTerm', params: { q: 'contados' }, maxPages: 9 });
    expect(result).toMatchObject({ pages: 3, items: 5, complete: true, spent: { known: '0.9' } });
    expect(result.stoppedBy).toBeUndefined();
  });

  it.each([
    ['of one item', [9], 4],
    ['of two items', [8, 9], 3],
  ])('stops when the last page, %s, is repeated', async (_what, ids, repeats) => {
    const page = (own: readonly number[], times: number): object => ({
      operation: 'searchTerm',
      fault: 'status',
      status: 200,
      times,
      body: { data: { items: own.map((id) => ({ id })), hasMore: true }, meta: { creditsCharged: 0.3 } },
    });
    await flows.fault({ ...page([1, 2, 3], 1) });
    await flows.fault({ ...page(ids, repeats) });
    const params = { q: `girando ${ids.length}` };
    const result = await collect({ operation: 'searchTerm', params, maxPages: 9 });
    expect(result).toMatchObject({ pages: 1 + repeats, complete: false, stoppedBy: 'loop' });
  });

  it('pays for at most three pages without items in a row, whatever their links say', async () => {
    const cnj = newCase();
    const path = `/v1/processos/cnj/${cnj.replace(/\D/g, '')}/movimentacoes`;
    for (const [place, movimentacoes] of [[{ id: 1 }], [], [{ id: 2 }], [], [], []].entries()) {
      const data = { movimentacoes, links: { next: { href: `${path}?cursor=c${place}` } } };
      const body = { data, meta: { creditsCharged: 0.05 } };
      await flows.fault({ operation: 'listMovements', fault: 'status', status: 200, body, times: 1 });
    }
    const result = await collect({ operation: 'listMovements', params: { cnj }, maxPages: 7 });
    expect(result).toMatchObject({ pages: 6, items: 2, complete: false, stoppedBy: 'loop' });
  });

  it('ends after a followed link when that page names no further page', async () => {
    const cnj = newCase();
    const page = (data: object): object => ({
      operation: 'listMovements',
      fault: 'status',
      status: 200,
      body: { data: { movimentacoes: [data], ...data }, meta: { creditsCharged: 0.05 } },
    });
    const href = `/v1/processos/cnj/${cnj.replace(/\D/g, '')}/movimentacoes?cursor=b`;
    await flows.fault({ ...page({ links: { next: { href } } }) });
    await flows.fault({ ...page({ links: { self: { href } } }) });
    const result = await collect({ operation: 'listMovements', params: { cnj }, maxPages: 9 });
    expect(result).toMatchObject({ pages: 2, complete: true });
  });

  it('returns the pages so far when a later page is not found', async () => {
    const answer = (status: number, body: object): Promise<void> =>
      flows.fault({ operation: 'searchTerm', fault: 'status', status, body, times: 1 });
    const items = [{ id: 1 }, { id: 2 }];
    const meta = { creditsCharged: 0.3, search: { mode: 'INDEX' } };
    await answer(200, { data: { items, totalPages: 3 }, meta });
    await answer(404, { error: { code: 'NOT_FOUND', message: 'Nenhum resultado nesta página' } });
    const result = await collect({ operation: 'searchTerm', params: { q: 'encolhe' }, maxPages: 9 });
    expect(result).toMatchObject({ items: 2, complete: false, stoppedBy: 'not found', search: { mode: 'INDEX' } });
    expect(result.spent.known).toBe('0.3');
  });
});
