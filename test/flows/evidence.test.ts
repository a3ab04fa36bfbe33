import {
  readDetails,
  readProgress,
  settleCharge,
  startAuditMonitors,
  startCreateCaseMonitor,
  startCreateRadar,
  startEnsureNoticeMonitor,
  startReadCase,
  wakeFlow,
} from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { failureOf } from '../support/failure-of.js';
import { until } from '../support/until.js';
import { auditFlows } from './audit-flows.js';
import { withFlows, type Flows } from './with-flows.js';

const chargesOf = async (flows: Flows, operation: string, cnj?: string): Promise<number> =>
  (await flows.charges()).filter(
    (charge) =>
      charge.operation === operation &&
      charge.reason !== 'recurring' &&
      (cnj === undefined || charge.subject.cnj === cnj),
  ).length;
const evidenceOf = async (flows: Flows, operation: string): Promise<readonly unknown[]> =>
  (
    await flows.database.db
      .selectFrom('tramita.intent')
      .select(['state', 'evidence', 'charged'])
      .where('operation', '=', operation)
      .orderBy('seq')
      .execute()
  ).map(({ state, evidence }) => ({ state, ...evidence }));

const EXCLUSIVE = { exclusive: true, debitAt: 'answer', refunds: 'never' };
/** The worker's first quiet reading of the balance. */
const openingOf = (flows: Flows) =>
  until(
    async () =>
      (
        await flows.database.db
          .selectFrom('tramita.balance_reading' as never)
          .selectAll()
          .execute()
      ).length > 0
        ? true
        : undefined,
    { what: 'an opening balance', withinMs: 100_000 },
  );

describe('the status of a refresh', () => {
  const flows = withFlows({ sandbox: { refreshMs: 3_000 } });

  it('lets a flow adopt the refresh whose answer was lost, with one charge', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj, 1);
    const handle = await flows.refresh({ cnj });
    await flows.parked(handle.workflowId);
    // The record's own time must be clearly later than the call. It is once the refresh has ended.
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    await wakeFlow(flows.client, handle.workflowId, { reason: 'test' });
    const result = await handle.result();
    expect(result).toMatchObject({ status: 'done' });
    expect(await chargesOf(flows, 'requestRefresh', cnj)).toBe(1);
    expect(await evidenceOf(flows, 'requestRefresh')).toMatchObject([{ state: 'done', adopted: 'own time' }]);
  });

  it('proves nothing about a refresh that never reached the service', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const handle = await flows.refresh({ cnj });
    await flows.parked(handle.workflowId);
    await wakeFlow(flows.client, handle.workflowId, { reason: 'test' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const progress = await flows.parked(handle.workflowId);
    expect(progress).toMatchObject({ attention: 'unknown-charge' });
    expect(await chargesOf(flows, 'requestRefresh', cnj)).toBe(0);
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });
});

describe('the listing of monitors', () => {
  // An account runs one audit at a time, and another file runs audits too.
  const flows = withFlows({ namespace: 'evidence-of-monitors' });

  it('proves the notice monitor that an unanswered POST has created', async () => {
    await flows.fault({ operation: 'createNoticeMonitor', fault: 'F4' });
    const result = await (await startEnsureNoticeMonitor(flows.deps, { oabs: ['SP:77001'] })).result();
    expect(result).toMatchObject({ action: 'created', monitor: { id: expect.any(String) as string } });
    expect(await chargesOf(flows, 'createNoticeMonitor')).toBe(1);
    expect(await evidenceOf(flows, 'createNoticeMonitor')).toMatchObject([{ state: 'done', proof: 'listing' }]);
  });

  it('proves the radar that an unanswered POST has created, and the change of a monitor', async () => {
    await flows.fault({ operation: 'createRadar', fault: 'F4' });
    const radar = { reference: 'r1', definition: { termo: 'Evidence Ltda' } };
    expect(await (await startCreateRadar(flows.deps, radar)).result()).toMatchObject({ action: 'created' });
    expect(await chargesOf(flows, 'createRadar')).toBe(1);

    await flows.fault({ operation: 'updateNoticeMonitor', fault: 'F4' });
    const changed = await (
      await startEnsureNoticeMonitor(flows.deps, { oabs: ['SP:77001'], terms: ['Beta'] })
    ).result();
    expect(changed).toMatchObject({ action: 'updated' });
    expect(await evidenceOf(flows, 'updateNoticeMonitor')).toMatchObject([{ state: 'done', proof: 'listing' }]);
  });

  it('finds the radar whose paid answer was cut', async () => {
    await flows.fault({ operation: 'createRadar', fault: 'F6' });
    const radar = { reference: 'cut', definition: { termo: 'Cut Ltda' } };
    expect(await (await startCreateRadar(flows.deps, radar)).result()).toMatchObject({
      action: 'created',
      monitor: { id: expect.any(String) as string },
    });
    expect(await chargesOf(flows, 'createRadar')).toBe(2);
    expect(await (await startAuditMonitors(flows.deps)).result()).toMatchObject({ orphans: [] });
    expect(await auditFlows(flows)).toEqual([]);
  });

  it("does not prove our radar by another caller's equal radar", async () => {
    // Our request is cut before the service sees it, and another caller's radar with the same term exists already.
    await flows.post('monitoramentos/novos-processos', { termo: 'Twin' });
    await flows.fault({ operation: 'createRadar', fault: 'F3' });
    const handle = await startCreateRadar(flows.deps, { reference: 'r2', definition: { termo: 'Twin' } });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  it('does not exist for case monitors, so their flow parks', async () => {
    await flows.fault({ operation: 'createCaseMonitor', fault: 'F4' });
    const definition = { numero_cnj: newCase(), frequencia: 'DIARIA' };
    const handle = await startCreateCaseMonitor(flows.deps, { reference: 'c1', definition });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });
});

describe('the balance of an exclusive account that is debited at the answer', () => {
  const flows = withFlows({
    account: EXCLUSIVE,
    sandbox: { refreshMs: 300, dialect: { debitAt: 'answer' } },
  });
  const opening = () => openingOf(flows);

  // An unchanged balance proves nothing until the call must have ended, after 65 s. test/activities does the same on a moved clock.
  const itWaits = process.env['TRAMITA_EVIDENCE_LONG'] === '1' ? it : it.skip;
  itWaits('lets a flow send again a call that it proves uncharged', async () => {
    await opening();
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F3' });
    const result = await (await flows.refresh({ cnj })).result();
    expect(result).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(flows, 'requestRefresh', cnj)).toBe(1);
    expect((await evidenceOf(flows, 'requestRefresh'))[0]).toMatchObject({
      state: 'closed',
      decision: 'not-charged',
      proof: 'balance',
      by: 'tramita (evidence)',
    });
  });

  it('lets a flow go on with a call that it proves charged', async () => {
    await opening();
    const cnj = newCase();
    await flows.fault({ operation: 'requestRefresh', fault: 'F4' });
    const result = await (await flows.refresh({ cnj })).result();
    expect(result).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(flows, 'requestRefresh', cnj)).toBe(1);
    const rows = await evidenceOf(flows, 'requestRefresh');
    expect(rows.at(-1)).toMatchObject({ state: 'done', proof: expect.any(String) as string, by: 'tramita (evidence)' });
  });

  it('shows the amount of a lost charge, and only a person ends its flow', async () => {
    await flows.fault({ operation: 'createCaseMonitor', fault: 'F4' });
    const definition = { numero_cnj: newCase(), frequencia: 'DIARIA' };
    const handle = await startCreateCaseMonitor(flows.deps, { reference: 'lost', definition });
    // The first look may find the account busy: a transaction in any database of the server is enough. The flow looks again.
    const progress = await until(
      async () => {
        const seen = await flows.parked(handle.workflowId);
        return seen.attention === 'charged-lost' ? seen : undefined;
      },
      { what: 'the balance to tell', withinMs: 100_000 },
    );
    expect(progress).toMatchObject({ spent: { known: '0.5', unknown: 0 } });
    const decision = { step: 'createCaseMonitor', decision: 'abandon', by: 'ana' } as const;
    await settleCharge(flows.client, handle.workflowId, decision);
    expect(await failureOf(handle)).toMatchObject({
      type: 'ChargedLost',
      message: expect.stringContaining('abandoned by ana; it was charged, and its answer is lost') as string,
    });
    expect(await chargesOf(flows, 'createCaseMonitor')).toBe(1);
    expect(await auditFlows(flows)).toEqual([]);
  });
});

describe('an unchanged balance, which proves something only when the call must have ended', () => {
  const flows = withFlows({ account: EXCLUSIVE, sandbox: { dialect: { debitAt: 'answer' } } });

  it('is waited for by a flow that does not say that its call is still to be sent', async () => {
    await openingOf(flows);
    await flows.fault({ operation: 'getCase', fault: 'F3' });
    const { workflowId } = await startReadCase(flows.deps, { cnj: newCase(), include: ['cover'] });
    const looking = await until(async () => {
      const { steps, waitingFor } = await readProgress(flows.client, workflowId);
      return steps[0]?.outcome === 'UNKNOWN' ? waitingFor : undefined;
    });
    expect(looking).toMatch(/^free evidence/);
    expect(await readDetails(flows.client, workflowId)).not.toContain('Nothing is sent before a worker');
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });
});

describe('the balance of an account that is debited at completion', () => {
  const flows = withFlows({
    account: { exclusive: true, debitAt: 'completion' },
    sandbox: { refreshMs: 60_000, dialect: { debitAt: 'completion' } },
  });

  it('does not decide about a query that may finish later, so the flow parks', async () => {
    const cnj = newCase();
    // The status would show that the refresh runs, and so its charge. Without it only the balance is left.
    await flows.loseRefresh(cnj);
    const handle = await flows.refresh({ cnj });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    expect(await flows.requests('requestRefresh')).toHaveLength(1);
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });
});
