/** Prices against the sandbox's charge book: a file whose answer names no charge, at once and as the final answer after a 202. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { awaitFinal } from '../../src/activities/polling/await-final.js';
import { createErrorFinals } from '../../src/activities/polling/error-finals.js';
import { pollRequest } from '../../src/activities/polling/poll-request.js';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import { toLedgerRow } from '../../src/ledger/index.js';
import type { CallOutcome } from '../../src/protocol/index.js';
import type { Charge, SandboxOptions } from '../../sandbox/index.js';
import { until } from '../support/until.js';
import { withActivities } from './with-activities.js';

const PDF = 'getElectoralEditionPdf';

describe('the PDF of an edition that is ready later and transfers slowly', () => {
  const world = withActivities({ sandbox: { dialect: { pending: [PDF], debitAt: 'answer' }, queryMs: 20 } });

  it('is fetched when the attempt has time for the transfer, and requested again otherwise', async () => {
    const slow = createServer((_request, answer) => {
      answer.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF-1.7\n');
      setTimeout(() => answer.end('%%EOF\n'), 1_500);
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const deps = world.depsAt(`http://127.0.0.1:${(slow.address() as AddressInfo).port}`);
    const poll = { account: deps.accounts.get('default')!, operation: PDF, requestId: randomUUID() };
    expect((await pollRequest(deps, { ...poll, withinMs: 10_500 })).end.end).toBe('again');
    expect((await pollRequest(deps, { ...poll, withinMs: 60_000 })).end.end).toBe('final');
    await new Promise((resolve) => slow.close(resolve));
  });
});

describe('work whose charge only a poll reports', () => {
  const world = withActivities({ sandbox: {} });

  it('is booked at that charge', async () => {
    const requestId = randomUUID();
    const begun = { status: 202, body: { data: { requestId }, meta: {} } };
    const answers = [
      begun,
      { status: 202, body: { data: { requestId }, meta: { creditsCharged: 0.3 } } },
      begun,
      { status: 200, body: { data: { items: [] }, meta: { requestId: 'x' } } },
    ];
    const service = createServer((_request, answer) => {
      const { status, body } = answers.shift() ?? begun;
      answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const deps = world.depsAt(`http://127.0.0.1:${(service.address() as AddressInfo).port}`);
    const run = { workflowId: `prices/${randomUUID()}`, firstRunId: randomUUID(), workflowType: 'callOperation' };
    const params = { q: 'x', qo: 't' };
    const input = { ...run, step: 'call', ordinal: 1, account: 'default', params, flags: [] };
    const attempt = { attempt: 1, attemptToken: randomUUID() };
    const { intentId = '' } = (await runChargedCall(deps, 'searchTerm', input, attempt)) as CallOutcome;
    const poll = { ...input, operation: 'searchTerm', intentId, sinceMs: Date.now() };
    const look = () => {
      const asker = { signal: AbortSignal.timeout(10_000), workflowId: run.workflowId, errors: createErrorFinals() };
      return awaitFinal(deps, poll, asker).catch(() => undefined);
    };
    const row = async () => toLedgerRow((await deps.ledger.find(intentId))!);
    expect(await row()).toMatchObject({ state: 'pending', charged: null });
    await look();
    expect(await row()).toMatchObject({ state: 'pending', charged: '0.3', amountSource: 'told' });
    await look();
    await look();
    expect(await row()).toMatchObject({ state: 'done', charged: '0.3', amountSource: 'told' });
    await new Promise((resolve) => service.close(resolve));
  });
});

describe.each<[string, SandboxOptions]>([
  ['at once', {}],
  ['by a 202 that is charged', { dialect: { pending: [PDF], debitAt: 'answer' }, queryMs: 20 }],
  ['by a 202 that says zero', { dialect: { pending: [PDF], debitAt: 'completion' }, queryMs: 20 }],
])('the PDF of an edition that is answered %s', (_what, sandbox) => {
  const world = withActivities({ sandbox });

  it('is booked at the price in the charge book, with the source of the amount', async () => {
    const account = 'default';
    const run = { workflowId: `prices/${randomUUID()}`, firstRunId: randomUUID(), workflowType: 'callOperation' };
    const params = { id: 'djee-sp-2026-03-10' };
    const input = { ...run, step: 'call', ordinal: 1, account, params, flags: [] };
    const attempt = { attempt: 1, attemptToken: randomUUID() };
    const outcome = (await runChargedCall(world.deps(), PDF, input, attempt)) as CallOutcome;
    const { intentId = '' } = outcome;
    if (outcome.outcome === 'PENDING') {
      const poll = { ...input, operation: PDF, intentId, sinceMs: Date.now() };
      const asker = { signal: AbortSignal.timeout(30_000), workflowId: run.workflowId, errors: createErrorFinals() };
      await until(() => awaitFinal(world.deps(), poll, asker).catch(() => undefined), { what: 'the final answer' });
    }
    const row = toLedgerRow((await world.deps().ledger.find(intentId))!);
    const { charges } = await world.control<{ charges: readonly Charge[] }>('/charges');
    expect(charges.map(({ amount }) => amount)).toEqual([800]);
    const isReported = outcome.outcome === 'PENDING' && sandbox.dialect?.debitAt === 'answer';
    expect(row).toMatchObject({ state: 'done', charged: '0.08', amountSource: isReported ? 'told' : 'listed' });
  });
});
