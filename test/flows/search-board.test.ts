import { startSearchBoard } from '../../src/starters/index.js';
import type { SearchBoardInput } from '../../src/protocol/index.js';
import { failureOf } from '../support/failure-of.js';
import { withFlows } from './with-flows.js';

const FILTERS = {
  searchElectoralBoard: { from: 'data_inicio', to: 'data_fim', courts: 'tribunais', party: 'parte' },
};

describe('searchBoard', () => {
  const flows = withFlows({ settings: { gaps: { filters: FILTERS } } });
  const search = async (input: SearchBoardInput) => (await startSearchBoard(flows.deps, input)).result();

  it('splits the period into windows of at most seven days and counts the publications', async () => {
    const charged = await flows.paid(async () => {
      const handle = await startSearchBoard(flows.deps, {
        from: '2026-09-01',
        to: '2026-09-15',
        filters: { courts: ['tse', 'TRE-SP'] },
        maxPages: 30,
      });
      const result = await handle.result();
      expect(result).toMatchObject({ windows: 3, complete: true });
      expect(result.publications).toBeGreaterThan(0);
      expect((await flows.progress(handle.workflowId)).counts).toMatchObject({ plannedWindows: 3, windows: 3 });
    });
    expect(charged.length).toBeGreaterThanOrEqual(3);
    const windows = (await flows.requests('searchElectoralBoard')).map((request) =>
      /data_inicio=(\S+?)&data_fim=(\d{4}-\d\d-\d\d)/.exec(JSON.stringify(request))?.slice(1),
    );
    expect(new Set(windows.map((window) => window?.join(' ')))).toEqual(
      new Set(['2026-09-01 2026-09-07', '2026-09-08 2026-09-14', '2026-09-15 2026-09-15']),
    );
  });

  it('stops at maxPages across all windows', async () => {
    const charged = await flows.paid(async () => {
      const result = await search({
        from: '2026-10-01',
        to: '2026-10-21',
        maxPages: 2,
        filters: { courts: ['TSE'] },
      });
      expect(result).toMatchObject({ pages: 2, complete: false, stoppedBy: 'maxPages' });
    });
    expect(charged).toEqual(['searchElectoralBoard', 'searchElectoralBoard']);
  });

  it('takes the service’s 404 for an empty window when it has searched or other windows are paid, else fails as NotFound', async () => {
    const input = { from: '2026-09-01', to: '2026-09-21', maxPages: 40, filters: { courts: ['TSE'] } };
    const whole = await search(input);
    const { pages: before } = await search({ ...input, to: '2026-09-07' });
    const missing = (body: object, after: number): Promise<void> =>
      flows.fault({ operation: 'searchElectoralBoard', fault: 'status', status: 404, body, after, times: 1 });
    const nothing = { error: { code: 'NOT_FOUND', message: 'Nenhuma publicação no período' } };
    await missing({ ...nothing, meta: { creditsCharged: 0, searchLogId: 'log-404' } }, before);
    const rest = await search({ ...input, maxPages: 29 });
    expect(rest).toMatchObject({ windows: 3, complete: true });
    expect(rest.publications).toBeLessThan(whole.publications);
    await missing(nothing, before);
    const unsure = await search({ ...input, maxPages: 28 });
    expect(unsure).toMatchObject({ windows: 3, complete: false, stoppedBy: 'not found', pages: rest.pages });
    // A gateway's 404 says nothing about the window, and a flow that has paid nothing fails on a 404 without a search.
    for (const [index, [body, after]] of [
      [{ message: 'no Route matched with those values' }, before] as const,
      [nothing, 0] as const,
    ].entries()) {
      await missing(body, after);
      const failure = await failureOf(await startSearchBoard(flows.deps, { ...input, maxPages: 27 - index }));
      expect(failure.type).toBe('NotFound');
    }
  });

  it('does not begin when its pages may cost more than maxSpend', async () => {
    const plan = { from: '2026-10-01', to: '2026-10-21', maxPages: 10, maxSpend: '1.00' };
    const failure = await failureOf(await startSearchBoard(flows.deps, plan));
    expect(failure.type).toBe('BudgetExceeded');
    expect(failure.message).toContain('3 windows, at most 10 pages at 0.15 each: at most 1.5');
  });

  it.each([
    [{ from: '2026-10-02', to: '2026-10-01', maxPages: 1 }, 'input.to must not be before'],
    [{ from: '2026-02-30', to: '2026-10-01', maxPages: 1 }, 'input.from must be a day'],
    [{ from: '1990-01-01', to: '2026-10-01', maxPages: 1 }, 'input.to must be at most'],
    [{ from: '2026-10-01', to: '2026-10-01' }, 'input.maxPages is missing'],
    [{ from: '2026-10-01', to: '2026-10-01', maxPages: 1, filters: { x: 'y' } }, 'known: courts, party'],
    [{ from: '2026-10-01', to: '2026-10-01', maxPages: 1, filters: { courts: ['TRE-XX'] } }, 'TSE or a regional'],
    [
      {
        from: '2026-10-01',
        to: '2026-10-01',
        maxPages: 1,
        filters: { courts: ['TSE', 'TRE-SP', 'TRE-RJ', 'TRE-MG', 'TRE-BA', 'TRE-AC', 'TRE-RS'] },
      },
      'at most 5 regional courts',
    ],
    [
      { from: '2026-10-01', to: '2026-10-01', maxPages: 1, filters: { lawyer: 'x' } },
      'gaps.filters.searchElectoralBoard.lawyer',
    ],
  ])('refuses %j before anything is sent', async (input, problem) => {
    const before = (await flows.requests()).length;
    const failure = await failureOf(await flows.startPlain('searchBoard', input));
    expect(failure.type).toBe('InvalidInput');
    expect(failure.message).toContain(problem);
    expect(await flows.requests()).toHaveLength(before);
  });
});
