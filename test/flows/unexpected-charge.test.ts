import { planFlow, type FlowCostPlan } from '../../src/planning/index.js';
import { startAuditMonitors, startCallOperation, startEnsureNoticeMonitor } from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { withFlows, type Flows } from './with-flows.js';

/** An answer of a read that should be free, which says that it was charged. The sandbox itself never charges one. */
const charging = (operation: string) => ({
  operation,
  fault: 'status',
  status: 404,
  body: { error: { code: 'NOTHING_YET' }, meta: { creditsCharged: 0.05, searchLogId: 'log-1', requestId: 'meta-1' } },
});
const readsOf = async (flows: Flows, operation: string): Promise<number> => (await flows.requests(operation)).length;
const rowsOf = (flows: Flows, operation: string) =>
  flows.database.db
    .selectFrom('tramita.intent')
    .select(['step', 'state', 'charged', 'search_log_id', 'workflow_id'])
    .where('operation', '=', operation)
    .where('charged', '>', 0)
    .execute();

describe('a status read that charges', () => {
  const flows = withFlows();

  it('is booked, told and never made again for the account; refreshes go on by their request', async () => {
    await flows.fault(charging('getRefreshStatus'));
    const first = await flows.refresh({ cnj: newCase() });
    const result = await first.result();
    expect(result).toMatchObject({ status: 'done', spent: { known: '0.15', unknown: 0 } });
    expect(result.receipts).toContainEqual({
      step: 'free/getRefreshStatus',
      operation: 'getRefreshStatus',
      outcome: 'DONE',
      amount: '0.05',
      metaRequestId: 'meta-1',
      searchLogId: 'log-1',
    });
    expect(await flows.progress(first.workflowId)).toMatchObject({ attention: 'unexpected-charge', state: 'done' });
    expect(await rowsOf(flows, 'getRefreshStatus')).toEqual([
      {
        step: 'free/getRefreshStatus',
        state: 'done',
        charged: 500,
        search_log_id: 'log-1',
        workflow_id: first.workflowId,
      },
    ]);
    expect(flows.logs.filter((line) => line.startsWith('error') && line.includes('getRefreshStatus'))).toHaveLength(1);

    const reads = await readsOf(flows, 'getRefreshStatus');
    const second = await (await flows.refresh({ cnj: newCase() })).result();
    expect(second).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await readsOf(flows, 'getRefreshStatus')).toBe(reads);
  });

  it('leaves an unknown refresh to a person: the details say why the status was not read', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    const handle = await flows.refresh({ cnj });
    await flows.parked(handle.workflowId);
    const { currentDetails } = await flows.client.workflow
      .getHandle(handle.workflowId)
      .query<{ currentDetails?: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('the refresh status (not read: it has charged before)');
    expect(currentDetails).toContain('the balance (not asked: others may spend from it)');
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });
});

describe('a call of a presumed-free operation that charges', () => {
  const flows = withFlows();

  it('is its own row, informs the flow that made it, and is what the next plan expects', async () => {
    const call = { operation: 'listCourtSystems' };
    const deps = { db: flows.database.db, config: flows.config, client: flows.client };
    const cost = async (): Promise<FlowCostPlan['cost']> => (await planFlow(deps, 'callOperation', call)).cost;
    expect(await cost()).toEqual({ kind: 'exact', amount: '0' });
    await flows.fault(charging('listCourtSystems'));
    const handle = await startCallOperation(flows.deps, call);
    await expect(handle.result()).rejects.toThrow();
    expect(await flows.progress(handle.workflowId)).toMatchObject({
      attention: 'unexpected-charge',
      spent: { known: '0.05', unknown: 0 },
      steps: [{ step: 'listCourtSystems', operation: 'listCourtSystems', amount: '0.05' }],
    });
    expect(await rowsOf(flows, 'listCourtSystems')).toHaveLength(1);
    expect(await cost()).toEqual({ kind: 'exact', amount: '0.05' });
  });
});

describe('a balance that is read at the floor and charges', () => {
  const flows = withFlows({ account: { minBalance: '100000.00' } });

  it('is told in what the flow has spent, which ends at once because it has bought nothing', async () => {
    // The first call tells the balance.
    expect(await (await flows.refresh({ cnj: newCase() })).result()).toMatchObject({ status: 'done' });
    await flows.fault(charging('getBalance'));
    const handle = await flows.refresh({ cnj: newCase() });
    const { workflowId } = handle;
    expect(await failureOf(handle)).toMatchObject({
      type: 'BudgetExceeded',
      details: { spent: { known: '0.05', unknown: 0 }, receipts: [{ step: 'free/getBalance', amount: '0.05' }] },
    });
    expect(await rowsOf(flows, 'getBalance')).toMatchObject([{ charged: 500, workflow_id: workflowId }]);
  });
});

describe('a listing of monitors that charges', () => {
  /** `total` monitors, of which none comes. */
  const listing = (operation: string, total: number) => ({
    ...charging(operation),
    status: 200,
    body: {
      data: { items: [], total },
      meta: { creditsCharged: 0.05, searchLogId: `log-${operation}`, requestId: 'meta-1' },
    },
  });
  const receiptOf = (operation: string) => ({
    step: `free/${operation}`,
    amount: '0.05',
    searchLogId: `log-${operation}`,
  });

  describe('before a monitor is made', () => {
    const flows = withFlows();

    it('is told in what the flow has spent, which creates nothing beside half a listing', async () => {
      await flows.fault(listing('listNoticeMonitors', 3));
      const handle = await startEnsureNoticeMonitor(flows.deps, { oabs: ['SP:4711'] });
      const failure = await failureOf(handle);
      expect(failure).toMatchObject({
        type: 'Rejected',
        details: { spent: { known: '0.05', unknown: 0 }, receipts: [receiptOf('listNoticeMonitors')] },
      });
      expect(failure.message).toMatch(/charged 0\.05 although it should be free.* Nothing else was spent/);
      expect(await readsOf(flows, 'listNoticeMonitors')).toBe(1);
      expect(await readsOf(flows, 'createNoticeMonitor')).toBe(0);
    });
  });

  describe('in an audit', () => {
    const flows = withFlows();

    it('is told in what the audit has spent', async () => {
      for (const operation of ['listNoticeMonitors', 'listRadars']) await flows.fault(listing(operation, 0));
      const handle = await startAuditMonitors(flows.deps);
      const receipts = [receiptOf('listNoticeMonitors'), receiptOf('listRadars')];
      expect(await handle.result()).toMatchObject({ orphans: [], spent: { known: '0.1', unknown: 0 }, receipts });
      expect(await flows.progress(handle.workflowId)).toMatchObject({ attention: 'unexpected-charge' });
    });
  });

  describe('the second one in an audit, which is refused', () => {
    const flows = withFlows();

    it('is told in what the audit has spent', async () => {
      await flows.fault(listing('listNoticeMonitors', 0));
      await flows.fault({ ...charging('listRadars'), status: 422 });
      const failure = await failureOf(await startAuditMonitors(flows.deps));
      expect(failure).toMatchObject({
        type: 'Rejected',
        details: { spent: { known: '0.1', unknown: 0 }, receipts: [{ amount: '0.05' }, { amount: '0.05' }] },
      });
      expect(failure.message).toMatch(
        /listNoticeMonitors charged 0\.05 although .* listRadars charged 0\.05 although .* Nothing else was spent/,
      );
    });
  });

  describe('in an audit whose second listing is away', () => {
    const flows = withFlows();

    it('is told at once, because the next attempt would not know of it', async () => {
      await flows.fault(listing('listNoticeMonitors', 0));
      await flows.fault({ operation: 'listRadars', fault: 'status', status: 503, body: {} });
      expect(await failureOf(await startAuditMonitors(flows.deps))).toMatchObject({
        details: { spent: { known: '0.05', unknown: 0 }, receipts: [receiptOf('listNoticeMonitors')] },
      });
    });
  });
});
