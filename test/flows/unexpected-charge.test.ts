import { sql } from 'kysely';
import { planFlow, type FlowCostPlan } from '../../src/planning/index.js';
import {
  startAuditMonitors,
  startCallOperation,
  startEnsureNoticeMonitor,
  startSyncNotices,
} from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { withFlows, type Flows } from './with-flows.js';

/** The answer of a read that should be free, with a charge in it. The sandbox itself never charges such a read. */
const charging = (operation: string) => ({
  operation,
  fault: 'status',
  status: 404,
  body: { error: { code: 'NOTHING_YET' }, meta: { creditsCharged: 0.05, searchLogId: 'log-1', requestId: 'meta-1' } },
});
/** Test files share one namespace, where an account has one audit at a time. */
const ownId = () => ({ workflowId: `own-${newCase()}` });
const readsOf = async (flows: Flows, operation: string): Promise<number> => (await flows.requests(operation)).length;
const rowsOf = (flows: Flows, operation: string) =>
  flows.database.db
    .selectFrom('tramita.intent')
    .select(['step', 'state', 'charged', 'search_log_id', 'workflow_id', 'first_run_id'])
    .where('operation', '=', operation)
    .where('charged', '>', 0)
    .execute();

describe('a refresh status that is charged', () => {
  const flows = withFlows();

  it('is booked, reported and never read again for the account; later refreshes end by their request', async () => {
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
        first_run_id: first.runId,
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
    expect(currentDetails).toContain('the refresh status (not read: reading it was charged before)');
    expect(currentDetails).toContain('the balance (not read: others may spend from it)');
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });
});

describe('a call of a presumed-free operation that is charged', () => {
  const flows = withFlows();

  it('has its own row, is reported by its flow, and is what the next plan expects', async () => {
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

describe('a balance that is read at the floor and charged', () => {
  const flows = withFlows({ account: { minBalance: '100000.00' } });

  it('is reported in the spent of the flow, which ends at once because it has bought nothing', async () => {
    // The first call teaches the balance.
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

describe('a balance that is read at the floor, charged, and leaves room', () => {
  const flows = withFlows({ account: { minBalance: '100000.00' } });

  it('says nothing of the call after it: a 404 of a gateway stays a failure', async () => {
    expect(await (await flows.refresh({ cnj: newCase() })).result()).toMatchObject({ status: 'done' });
    const data = { credits: 200_000, currency: 'BRL', accountStatus: 'ACTIVE' };
    await flows.fault({
      ...charging('getBalance'),
      status: 200,
      body: { data, meta: { creditsCharged: 0.05, requestId: 'meta-1' } },
    });
    const body = { message: 'no Route matched with those values' };
    await flows.fault({ operation: 'listNotices', fault: 'status', status: 404, body });
    const handle = await startSyncNotices(flows.deps, { oabs: ['SP:4712'] });
    expect(await failureOf(handle)).toMatchObject({ type: 'NotFound', details: { spent: { known: '0.05' } } });
  });
});

describe('a balance that is read at the floor and charged by a call whose activity is lost', () => {
  const flows = withFlows({ account: { minBalance: '100000.00' } });

  it('is reported when the flow asks the ledger what became of the call', async () => {
    expect(await (await flows.refresh({ cnj: newCase() })).result()).toMatchObject({ status: 'done' });
    const data = { credits: 200_000, currency: 'BRL', accountStatus: 'ACTIVE' };
    const body = { data, meta: { creditsCharged: 0.05, requestId: 'meta-1' } };
    await flows.fault({ ...charging('getBalance'), status: 200, body });
    await flows.fault({ operation: 'requestRefresh', fault: 'F7', ms: 8_000 });
    const sent = await readsOf(flows, 'requestRefresh');
    const handle = await flows.refresh({ cnj: newCase(), webhook: false });
    const { workflowId } = handle;
    await until(async () => (await readsOf(flows, 'requestRefresh')) > sent, { what: 'the call to be sent' });
    const { raw } = await flows.client.workflow.getHandle(workflowId).describe();
    const [call] = raw.pendingActivities ?? [];
    await flows.client.activity.fail({ workflowId, activityId: call?.activityId ?? '' }, new Error('lost'));
    expect(await handle.result()).toMatchObject({ status: 'done', spent: { known: '0.15', unknown: 0 } });
    expect(await rowsOf(flows, 'getBalance')).toMatchObject([{ charged: 500, workflow_id: workflowId }]);
  });
});

describe('a look for evidence that is charged for the status and for the balance', () => {
  const flows = withFlows({
    account: { exclusive: true, debitAt: 'answer', refunds: 'never' },
    sandbox: { dialect: { debitAt: 'answer' } },
  });

  it('counts both in the spent of its flow', async () => {
    const readings = () =>
      flows.database.db
        .selectFrom('tramita.balance_reading' as never)
        .selectAll()
        .execute();
    await until(async () => (await readings()).length > 0 || undefined, { what: 'an opening balance' });
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    await flows.fault(charging('getRefreshStatus'));
    await flows.fault(charging('getBalance'));
    const { workflowId } = await flows.refresh({ cnj: newCase() });
    const told = async () => {
      const progress = await flows.parked(workflowId);
      return progress.spent.known === '0.1' ? progress : undefined;
    };
    const parked = await until(told, { what: 'both charges' });
    expect(parked).toMatchObject({ attention: 'unknown-charge', spent: { known: '0.1', unknown: 1 } });
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });
});

describe('with a listing of monitors that is charged', () => {
  /** A charged listing that announces `total` monitors and contains none. */
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

  describe('ensureNoticeMonitor', () => {
    const flows = withFlows();

    it('reports what the listing charged and creates nothing when the listing is incomplete', async () => {
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

  describe('auditMonitors', () => {
    const flows = withFlows();

    it('reports what both listings charged', async () => {
      for (const operation of ['listNoticeMonitors', 'listRadars']) await flows.fault(listing(operation, 0));
      const handle = await startAuditMonitors(flows.deps, {}, ownId());
      const receipts = [receiptOf('listNoticeMonitors'), receiptOf('listRadars')];
      expect(await handle.result()).toMatchObject({ orphans: [], spent: { known: '0.1', unknown: 0 }, receipts });
      expect(await flows.progress(handle.workflowId)).toMatchObject({ attention: 'unexpected-charge' });
    });
  });

  describe('auditMonitors that is begun again after a listing was charged', () => {
    const flows = withFlows();

    it('fails with what that listing charged: the next attempt finds it in the ledger', async () => {
      await flows.fault(listing('listNoticeMonitors', 0));
      // Until the charge is booked and the attempt has failed, the monitors that are known here cannot be read.
      const lock = sql`lock table tramita.monitor in access exclusive mode`;
      const handle = await flows.database.holding(lock, async () => {
        const started = await startAuditMonitors(flows.deps, {}, ownId());
        const attempts = async (): Promise<number> => {
          const { pendingActivities } = (await flows.client.workflow.getHandle(started.workflowId).describe()).raw;
          return pendingActivities?.[0]?.attempt ?? 0;
        };
        await until(async () => (await attempts()) > 1 || undefined, { what: 'the next attempt' });
        return started;
      });
      expect(await failureOf(handle)).toMatchObject({
        type: 'Rejected',
        details: { spent: { known: '0.05', unknown: 0 }, receipts: [receiptOf('listNoticeMonitors')] },
      });
      expect(await readsOf(flows, 'listNoticeMonitors')).toBe(1);
    });
  });

  describe('after a reset', () => {
    const flows = withFlows();

    it('is booked under the first run of its flow', async () => {
      const audit = await startAuditMonitors(flows.deps, {}, ownId());
      const ensure = await startEnsureNoticeMonitor(flows.deps, { oabs: ['SP:4713'] });
      await Promise.all([audit.result(), ensure.result()]);
      for (const handle of [audit, ensure]) {
        // Otherwise the charge of the first flow bars the read of the second.
        await flows.database.db.deleteFrom('tramita.intent').where('step', 'like', 'free/%').execute();
        await flows.fault(listing('listNoticeMonitors', 0));
        await (await flows.resetToFirstTask(handle)).result();
        expect(await rowsOf(flows, 'listNoticeMonitors')).toMatchObject([
          { workflow_id: handle.workflowId, first_run_id: handle.runId },
        ]);
      }
    });
  });

  describe('auditMonitors whose second listing is charged and refused', () => {
    const flows = withFlows();

    it('fails with what both listings charged', async () => {
      await flows.fault(listing('listNoticeMonitors', 0));
      await flows.fault({ ...charging('listRadars'), status: 422 });
      const failure = await failureOf(await startAuditMonitors(flows.deps, {}, ownId()));
      expect(failure).toMatchObject({
        type: 'Rejected',
        details: { spent: { known: '0.1', unknown: 0 }, receipts: [{ amount: '0.05' }, { amount: '0.05' }] },
      });
      expect(failure.message).toMatch(
        /listNoticeMonitors charged 0\.05 although .* listRadars charged 0\.05 although .* Nothing else was spent/,
      );
    });
  });

  describe('auditMonitors whose second listing is unavailable', () => {
    const flows = withFlows();

    it('fails at once with what the first listing charged, because the next attempt would not know of it', async () => {
      await flows.fault(listing('listNoticeMonitors', 0));
      await flows.fault({ operation: 'listRadars', fault: 'status', status: 503, body: {} });
      expect(await failureOf(await startAuditMonitors(flows.deps, {}, ownId()))).toMatchObject({
        details: { spent: { known: '0.05', unknown: 0 }, receipts: [receiptOf('listNoticeMonitors')] },
      });
    });
  });
});
