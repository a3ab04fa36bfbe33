/** Prices against the sandbox's charge book: a file whose answer names no charge, at once and as the final answer after a 202. */
import { randomUUID } from 'node:crypto';
import { pollRequest } from '../../src/activities/polling/poll-request.js';
import { toLedgerRow } from '../../src/ledger/index.js';
import type { Charge, SandboxOptions } from '../../sandbox/index.js';
import { sendJson } from '../../soak/loopback.js';
import { until } from '../support/until.js';
import { accountOf, charge, look, newCall } from './calls.js';
import { withActivities } from './with-activities.js';

const PDF = 'getElectoralEditionPdf';

describe('the PDF of an edition that is ready later and transfers slowly', () => {
  const world = withActivities({ sandbox: { dialect: { pending: [PDF], debitAt: 'answer' }, queryMs: 20 } });

  it('is fetched when the attempt has time for the transfer, and requested again otherwise', async () => {
    const url = await world.serve((_request, answer) => {
      answer.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF-1.7\n');
      setTimeout(() => answer.end('%%EOF\n'), 1_500);
    });
    const deps = world.depsAt(url);
    const poll = { account: accountOf(deps), operation: PDF, requestId: randomUUID() };
    expect((await pollRequest(deps, { ...poll, withinMs: 10_500 })).end.end).toBe('again');
    expect((await pollRequest(deps, { ...poll, withinMs: 60_000 })).end.end).toBe('final');
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
    const url = await world.serve((_request, answer) => {
      const { status, body } = answers.shift() ?? begun;
      sendJson(answer, status, body);
    });
    const deps = world.depsAt(url);
    const call = newCall('searchTerm', { params: { q: 'x', qo: 't' } });
    const outcome = await charge(deps, call);
    const row = async () => toLedgerRow((await deps.ledger.find(outcome.intentId ?? ''))!);
    expect(await row()).toMatchObject({ state: 'pending', charged: null });
    await look(deps, call, outcome);
    expect(await row()).toMatchObject({ state: 'pending', charged: '0.3', amountSource: 'told' });
    await look(deps, call, outcome);
    await look(deps, call, outcome);
    expect(await row()).toMatchObject({ state: 'done', charged: '0.3', amountSource: 'told' });
  });
});

describe.each<[string, SandboxOptions]>([
  ['at once', {}],
  ['by a 202 that is charged', { dialect: { pending: [PDF], debitAt: 'answer' }, queryMs: 20 }],
  ['by a 202 that says zero', { dialect: { pending: [PDF], debitAt: 'completion' }, queryMs: 20 }],
])('the PDF of an edition that is answered %s', (_what, sandbox) => {
  const world = withActivities({ sandbox });

  it('is booked at the price in the charge book, with the source of the amount', async () => {
    const call = newCall(PDF, { params: { id: 'djee-sp-2026-03-10' } });
    const outcome = await charge(world.deps(), call);
    if (outcome.outcome === 'PENDING')
      await until(() => look(world.deps(), call, outcome), { what: 'the final answer' });
    const row = toLedgerRow((await world.deps().ledger.find(outcome.intentId ?? ''))!);
    const { charges } = await world.control<{ charges: readonly Charge[] }>('/charges');
    expect(charges.map(({ amount }) => amount)).toEqual([800]);
    const isReported = outcome.outcome === 'PENDING' && sandbox.dialect?.debitAt === 'answer';
    expect(row).toMatchObject({ state: 'done', charged: '0.08', amountSource: isReported ? 'told' : 'listed' });
  });
});
