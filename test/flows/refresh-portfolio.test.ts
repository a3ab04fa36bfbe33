import { sql } from 'kysely';
import { planFlow } from '../../src/planning/index.js';
import { createPortfolios } from '../../src/records/index.js';
import { settleCharge, startRefreshPortfolio } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { withFlows } from './with-flows.js';

describe('refreshPortfolio', () => {
  const flows = withFlows({ sandbox: { refreshMs: 200 } });
  const portfolios = () => createPortfolios({ db: flows.database.db });
  const chargesOf = async (cases: readonly string[]): Promise<number> =>
    (await flows.charges()).filter(({ subject }) => cases.includes(subject.cnj)).length;
  const start = (input: Parameters<typeof startRefreshPortfolio>[1]) => startRefreshPortfolio(flows.deps, input);
  const newCases = (count: number): string[] => Array.from({ length: count }, () => newCase());
  const called = (cnj: string) => until(async () => (await chargesOf([cnj])) > 0, { what: 'the call' });

  it('refreshes the cases of its input, each once, and sums what they cost', async () => {
    const cases = newCases(6);
    const handle = await start({ name: 'six', cases: [...cases, cases[0] ?? ''], concurrency: 3 });
    expect(handle.workflowId).toBe('portfolio.default.six');
    const result = await handle.result();
    expect(result).toMatchObject({ done: 6, failed: 0, parked: 0, skipped: 0, remaining: 0, spent: { unknown: 0 } });
    expect(await chargesOf(cases)).toBe(6);
    expect(result.spent.known).toBe('0.6');
    expect(await flows.progress(handle.workflowId)).toMatchObject({
      state: 'done',
      spent: { known: '0.6', unknown: 0 },
    });
  });

  it.concurrent('shows its progress within seconds of its start', async () => {
    const cases = newCases(2);
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 30_000, cnj: cases[0] });
    const handle = await start({ name: 'told', cases, concurrency: 2 });
    const isCounted = async () => ((await flows.progress(handle.workflowId)).counts['done'] === 1 ? true : undefined);
    await until(isCounted, { withinMs: 25_000, what: 'the counts of a portfolio that runs' });
    expect((await flows.progress(handle.workflowId)).counts).toMatchObject({ done: 1, remaining: 1 });
    expect(await handle.result()).toMatchObject({ done: 2 });
  });

  it.concurrent('refreshes the stored list of its name, and joins a refresh that is under way', async () => {
    const cases = newCases(3);
    await portfolios().saveList({ account: 'default', name: 'stored', cases: cases as never });
    const [shared = ''] = cases;
    // The person's refresh is answered so late that the portfolio reaches its case before it ends.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 12_000, cnj: shared });
    const person = await flows.refresh({ cnj: shared });
    await called(shared);
    const result = await (await start({ name: 'stored' })).result();
    await person.result();
    expect(result).toMatchObject({ done: 3, remaining: 0 });
    expect(await chargesOf(cases)).toBe(3);
  });

  it.concurrent('does not wait for a parked case, and refreshes other cases beside it', async () => {
    const cases = newCases(4);
    const [lost = ''] = cases;
    // The documents list of the first case comes back garbled: paid and lost, so its flow parks.
    await flows.fault({ operation: 'listPublicDocuments', fault: 'F9', cnj: lost });
    const handle = await start({ name: 'mixed', cases: [lost], documents: true });
    const parked = await handle.result();
    expect(parked).toMatchObject({ done: 0, parked: 1, remaining: 0 });
    const others = await (await start({ name: 'others', cases: cases.slice(1) })).result();
    expect(others).toMatchObject({ done: 3, failed: 0 });
    await flows.client.workflow.getHandle(`refresh.default.${lost}`).terminate('seen');
  });

  it.concurrent('counts a parked case by its end when started again after a person has decided it', async () => {
    const cases = newCases(1);
    const [lost = ''] = cases;
    await flows.fault({ operation: 'listPublicDocuments', fault: 'F9', cnj: lost });
    const input = { name: 'decided', cases, documents: true, once: 'week 2' };
    expect(await (await start(input)).result()).toMatchObject({ parked: 1 });
    expect(await (await start(input)).result()).toMatchObject({ parked: 1 });
    const workflowId = `refresh.default.${lost}`;
    await settleCharge(flows.client, workflowId, { step: 'listPublicDocuments/1', decision: 'abandon', by: 'test' });
    await expect(flows.client.workflow.getHandle(workflowId).result()).rejects.toThrow();
    expect(await (await start(input)).result()).toMatchObject({ failed: 1, parked: 0, remaining: 0 });
  });

  it.concurrent('counts a parked case as failed when started again after its run was deleted', async () => {
    const cases = newCases(1);
    await flows.fault({ operation: 'listPublicDocuments', fault: 'F9', cnj: cases[0] });
    const input = { name: 'gone', cases, documents: true, once: 'week 3' };
    expect(await (await start(input)).result()).toMatchObject({ parked: 1 });
    const run = flows.client.workflow.getHandle(`refresh.default.${cases[0]}`);
    await run.terminate('seen');
    await flows.client.workflowService.deleteWorkflowExecution({
      namespace: flows.client.options.namespace,
      workflowExecution: { workflowId: run.workflowId },
    });
    const isGone = (): Promise<boolean> =>
      run.describe().then(
        () => false,
        () => true,
      );
    await until(isGone, { what: 'the run to be gone' });
    expect(await (await start(input)).result()).toMatchObject({ failed: 1, parked: 0, remaining: 0 });
    expect(await chargesOf(cases)).toBe(2);
  });

  it.concurrent('retries skipped and unsent cases when started again, but no refused ones', async () => {
    const cases = newCases(3);
    const [skipped = '', unsent, refused] = cases;
    // The other refresh is answered so late that the portfolio reaches its case before it ends.
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 12_000, cnj: skipped });
    const throttled = { fault: 'status', status: 429, retryAfter: 1, times: 5 };
    await flows.fault({ operation: 'requestRefresh', ...throttled, cnj: unsent });
    await flows.fault({ operation: 'requestRefresh', fault: 'status', status: 422, cnj: refused });
    const other = await flows.refresh({ cnj: skipped, documents: true });
    await called(skipped);
    const input = { name: 'again', cases, once: 'week 4', concurrency: 1 };
    expect(await (await start(input)).result()).toMatchObject({ done: 0, failed: 2, skipped: 1, remaining: 0 });
    await other.result();
    const plan = await planFlow({ db: flows.database.db, config: flows.config }, 'refreshPortfolio', input);
    expect(plan.calls.map(({ most }) => most)).toEqual([2]);
    expect(await (await start(input)).result()).toMatchObject({ done: 2, failed: 1, skipped: 0, remaining: 0 });
  });

  it.concurrent('waits for the new run of a refresh that is reset meanwhile', async () => {
    const cases = newCases(1);
    const [cnj = ''] = cases;
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 8_000, cnj });
    const handle = await start({ name: 'reset', cases });
    await called(cnj);
    await flows.resetToFirstTask({ workflowId: `refresh.default.${cnj}` });
    expect(await handle.result()).toMatchObject({ done: 1, failed: 0 });
    expect(await chargesOf(cases)).toBe(1);
  });

  it.concurrent(
    'counts a refresh that it joined between two resets as parked when it parks again, without waiting for it',
    async () => {
      const cases = newCases(1);
      const [cnj = ''] = cases;
      const workflowId = `refresh.default.${cnj}`;
      await flows.fault({ operation: 'listPublicDocuments', fault: 'F9', cnj });
      await flows.refresh({ cnj, documents: true });
      await flows.parked(workflowId);
      await flows.resetToFirstTask({ workflowId });
      await flows.parked(workflowId);
      const handle = await start({ name: 'twice', cases, documents: true });
      const joined = () => sql`select from tramita.portfolio_item where cnj = ${cnj} and run_id is not null`;
      await until(async () => (await joined().execute(flows.database.db)).rows.length > 0, { what: 'the run' });
      await flows.resetToFirstTask({ workflowId });
      expect(await handle.result()).toMatchObject({ done: 0, failed: 0, parked: 1, remaining: 0 });
      await flows.client.workflow.getHandle(workflowId).terminate('seen');
    },
  );

  it('stops at its cap, reports what remains, and goes on under the same once key', async () => {
    const cases = newCases(5);
    const first = await (
      await start({ name: 'capped', cases, maxSpend: '0.20', once: 'week 1', concurrency: 2 })
    ).result();
    expect(first).toMatchObject({ done: 2, remaining: 3, stoppedBy: 'budget', spent: { known: '0.2', unknown: 0 } });
    expect(await chargesOf(cases)).toBe(2);
    const second = await (await start({ name: 'capped', cases, once: 'week 1' })).result();
    expect(second).toMatchObject({ done: 5, remaining: 0 });
    expect(await chargesOf(cases)).toBe(5);
  });

  it('loses and repeats nothing when a worker stops midway', async () => {
    const cases = newCases(8);
    const worker = await flows.startWorker();
    const handle = await start({ name: 'restarted', cases, concurrency: 2 });
    await until(async () => (await chargesOf(cases)) >= 2, { what: 'two charges' });
    worker.shutdown();
    expect(await handle.result()).toMatchObject({ done: 8, remaining: 0 });
    expect(await chargesOf(cases)).toBe(8);
    // A call that is handed to a worker at the moment it stops is lost for a minute.
  }, 300_000);

  it.each([
    [{}, 'input.name must be 1 to 80'],
    [{ name: 'x', cases: [] }, 'input.cases must be a list of 1 to 1000 case numbers'],
    [{ name: 'x', cases: ['10000015120268260101'] }, 'input.cases[0]'],
    [{ name: 'no such list' }, 'input.name'],
    [{ name: 'nowhere' }, 'there is no stored list of that name'],
    [{ name: 'x', cases: [newCase()], concurrency: 0 }, 'input.concurrency'],
  ])('refuses %j before anything is started', async (input, problem) => {
    const handle = await flows.startPlain('refreshPortfolio', input);
    const failure = await failureOf(handle);
    expect(failure).toMatchObject({ type: 'InvalidInput' });
    expect(failure.message).toContain(problem);
  });
});
