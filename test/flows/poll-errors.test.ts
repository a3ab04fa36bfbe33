/** Errors of the service while paid work is polled. Polls are repeated, because they are free. The paid call never is. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { createErrorFinals } from '../../src/activities/polling/error-finals.js';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/index.js';
import {
  readDetails,
  resumeFlow,
  settleCharge,
  startCallOperation,
  startImportLawyerCases,
  startRefreshCase,
  startSummarizeCase,
} from '../../src/starters/index.js';
import { newCase } from '../support/case-number.js';
import { until } from '../support/until.js';
import { startShortWorker } from './short-waits.js';
import { withFlows, type Flows } from './with-flows.js';

const body = { error: { code: 'TEMPORARILY_UNAVAILABLE', message: 'Try again.' } };

const chargesOf = async (flows: Flows, cnj: string): Promise<number> => (await flows.charges({ cnj })).length;

describe('a poll that the service answers with an error', () => {
  const flows = withFlows({
    sandbox: { queryMs: 1_200, refreshMs: 1_200, pollAfterMs: 200, dialect: { pending: ['getCase'] } },
  });

  it.each([503, 500])('is repeated after a %s and gets the answer', async (status) => {
    const cnj = newCase();
    await flows.fault({ operation: 'getRequest', fault: 'status', status, body, times: 2, cnj });
    const result = await (await startCallOperation(flows.deps, { operation: 'getCase', params: { cnj } })).result();
    expect(result).toMatchObject({ status: 200, spent: { known: '0.12', unknown: 0 } });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });

  it('does not matter for a refresh whose status shows the end', async () => {
    // The request of this persona ends with a 500 of the service; its status shows how the refresh ended.
    const handle = await startRefreshCase(flows.deps, { cnj: '60000014620254063800' });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'RefreshFailed' } });
    expect(await chargesOf(flows, '60000014620254063800')).toBe(1);
  });

  it('parks the flow when a 500 lasts, and nothing is sent again', async () => {
    const cnj = newCase();
    await flows.fault({ operation: 'getRequest', fault: 'status', status: 500, body, times: 10_000, cnj });
    const handle = await startCallOperation(flows.deps, { operation: 'getCase', params: { cnj } });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'unknown-charge' });
    expect(await chargesOf(flows, cnj)).toBe(1);
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });
});

describe('a refresh whose request ends with an unreadable answer', () => {
  const flows = withFlows({ sandbox: { refreshMs: 1_200, pollAfterMs: 200 } });

  it.each(['', 'OK', '[]'])('ends by its status: "%s"', async (body) => {
    const cnj = newCase();
    await flows.fault({ operation: 'getRequest', fault: 'status', status: 200, body, times: 10_000, cnj });
    const result = await (await startRefreshCase(flows.deps, { cnj })).result();
    expect(result).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });
});

describe('a request that the service does not know for a moment', () => {
  const flows = withFlows({ sandbox: { queryMs: 1_200, pollAfterMs: 200, dialect: { pending: ['getCase'] } } });

  it('is polled again before a person is asked', async () => {
    const cnj = newCase();
    const forgotten = { error: { code: 'REQUEST_NOT_FOUND', message: 'Request not found.' } };
    await flows.fault({ operation: 'getRequest', fault: 'status', status: 404, body: forgotten, times: 1, cnj });
    const handle = await startCallOperation(flows.deps, { operation: 'getCase', params: { cnj } });
    expect(await handle.result()).toMatchObject({ status: 200, spent: { known: '0.12', unknown: 0 } });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });
});

describe('a refused poll that may mean the poll or the work', () => {
  const flows = withFlows({
    sandbox: { queryMs: 1_200, refreshMs: 1_200, pollAfterMs: 200, dialect: { pending: ['getCase'] } },
  });
  const refusal = (code: string): object => ({ operation: 'getRequest', fault: 'status', body: { error: { code } } });

  it.each([404, 422])('does not end a query when the %s lasts a moment', async (status) => {
    const cnj = newCase();
    await flows.fault({ ...refusal('NOT_YET'), status, times: 2, cnj });
    const handle = await startCallOperation(flows.deps, { operation: 'getCase', params: { cnj } });
    expect(await handle.result()).toMatchObject({ status: 200, spent: { known: '0.12', unknown: 0 } });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });

  it('does not end a refresh when the 404 lasts a moment', async () => {
    const cnj = newCase();
    await flows.fault({ ...refusal('NOT_YET'), status: 404, times: 2, cnj });
    const result = await (await startRefreshCase(flows.deps, { cnj })).result();
    expect(result).toMatchObject({ status: 'done', spent: { known: '0.1', unknown: 0 } });
    expect(await chargesOf(flows, cnj)).toBe(1);
  });

  it('ends a query as NotFound when the 404 lasts', async () => {
    await flows.fault({ ...refusal('CASE_NOT_FOUND'), status: 404, times: 10_000 });
    const handle = await startCallOperation(flows.deps, { operation: 'getCase', params: { cnj: newCase() } });
    await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'NotFound' } });
  });
});

describe('a summary whose read is accepted and then refused as not ready', () => {
  // A read that a 202 has charged already is never bought again.
  const dialect = { pending: ['getSummary'], debitAt: 'completion' as const };
  const flows = withFlows({ sandbox: { queryMs: 600_000, pollAfterMs: 200, dialect } });

  it('parks, and is read again only when a person resumes it', async () => {
    const reads = async (): Promise<number> => (await flows.requests('getSummary')).length;
    const { workflowId } = await startSummarizeCase(flows.deps, { cnj: newCase(), webhook: false });
    await until(async () => (await reads()) === 1 || undefined, { what: 'the read' });
    const notReady = { error: { code: 'SUMMARY_NOT_READY', message: 'Still at work.' } };
    await flows.fault({ operation: 'getRequest', fault: 'status', status: 404, body: notReady, times: 10_000 });
    expect(await flows.parked(workflowId)).toMatchObject({ attention: 'stalled' });
    expect(await reads()).toBe(1);
    await resumeFlow(flows.client, workflowId, { by: 'ana' });
    await until(async () => (await reads()) === 2 || undefined, { what: 'the second read' });
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });
});

describe('a free page that is answered 202 at every request', () => {
  const flows = withFlows({ sandbox: { queryMs: 400, coverageMs: 0, dialect: { pendingFreePages: true } } });

  it('is requested once and then polled', async () => {
    const result = await (await startImportLawyerCases(flows.deps, { oab: 'SP:100001', pageSize: 10 })).result();
    expect(result).toMatchObject({ cases: 45, pages: 5, paidChecks: 1 });
    const requests = await flows.requests('listLawyerCases');
    expect(requests).toHaveLength(5);
    expect((await flows.requests('getRequest')).length).toBeGreaterThanOrEqual(4);
  });
});

describe('the attention of a flow whose key is refused for a while', () => {
  const flows = withFlows({
    worker: false,
    sandbox: { queryMs: 600_000, pollAfterMs: 200, coverageMs: 0, dialect: { pending: ['getCase'] } },
  });
  beforeAll(() => startShortWorker(flows, { '../flow/asks-after.js': 'soon.ts' }));
  const ATTENTION = defineSearchAttributeKey(SEARCH_ATTRIBUTES.attention, 'KEYWORD');
  const attributeOf = async (workflowId: string): Promise<unknown> => {
    const { typedSearchAttributes } = await flows.client.workflow.getHandle(workflowId).describe();
    return typedSearchAttributes.get(ATTENTION) ?? null;
  };

  it('ends once a poll with the key goes on, long before the work is done', async () => {
    const handle = await startCallOperation(flows.deps, { operation: 'getCase', params: { cnj: newCase() } });
    await flows.waiting(handle.workflowId, /polling it/);
    await flows.fault({ operation: 'getRequest', fault: 'status', status: 401, body: 'no', times: 1 });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'credentials' });
    await flows.waiting(handle.workflowId);
    const healed = await until(
      async () => {
        const progress = await flows.progress(handle.workflowId);
        return progress.attention === null ? progress : undefined;
      },
      { what: 'the attention to end' },
    );
    expect(healed).toMatchObject({ state: 'waiting', steps: [{ outcome: 'PENDING' }] });
    expect(await attributeOf(handle.workflowId)).toBeNull();
    await flows.client.workflow.getHandle(handle.workflowId).terminate('seen');
  });

  it('is explained in the details by the refused key, not by the state of the call', async () => {
    const cnj = newCase();
    await flows.loseRefresh(cnj, 1);
    for (const operation of ['getRefreshStatus', 'getRequest']) {
      await flows.fault({ operation, fault: 'status', status: 401, body: 'no', times: 100, cnj });
    }
    const { workflowId } = await startRefreshCase(flows.deps, { cnj });
    await flows.parked(workflowId);
    await settleCharge(flows.client, workflowId, { step: 'requestRefresh', decision: 'charged', by: 'ana' });
    await until(async () => (await flows.progress(workflowId)).attention === 'credentials' || undefined, {
      what: 'the refused key',
    });
    expect(await readDetails(flows.client, workflowId)).toContain(
      'the poll of POST refresh got HTTP 401. The flow has paid before',
    );
    await flows.client.workflow.getHandle(workflowId).terminate('seen');
  });

  it('ends once a free page was read with the key', async () => {
    await flows.fault({ operation: 'listLawyerCases', fault: 'status', status: 401, times: 1, after: 1, body: 'no' });
    const handle = await startImportLawyerCases(flows.deps, { oab: 'SP:100001', pageSize: 10 });
    expect(await flows.parked(handle.workflowId)).toMatchObject({ attention: 'credentials' });
    await handle.result();
    expect(await attributeOf(handle.workflowId)).toBeNull();
  });

  it('ends in a run that has inherited it from the run before', async () => {
    const workflowId = `collect-${newCase()}`;
    const handle = await flows.client.workflow.start('collectPages', {
      taskQueue: flows.taskQueue,
      workflowId,
      args: [{ operation: 'listPrecatorios', params: { ano_orcamentario: 2027 }, maxPages: 1 }],
      typedSearchAttributes: [{ key: ATTENTION, value: 'stalled' }],
    });
    await handle.result();
    expect(await attributeOf(workflowId)).toBeNull();
  });
});

it('createErrorFinals ends work after a lasting error, and starts its count again after any other answer', () => {
  const errors = createErrorFinals();
  expect([errors.lasts('a', 0), errors.lasts('a', 14_000), errors.lasts('a', 15_000)]).toEqual([false, false, true]);
  errors.forget('a');
  expect([errors.lasts('a', 130_000), errors.lasts('b', 130_000)]).toEqual([false, false]);
  // Another worker polled meanwhile.
  expect(errors.lasts('b', 130_000 + 3_600_000)).toBe(false);
});
