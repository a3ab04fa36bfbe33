/** Prices against the sandbox's charge book: a file whose answer tells no charge, at once and as the final of a 202. */
import { randomUUID } from 'node:crypto';
import { awaitFinal } from '../../src/activities/polling/await-final.js';
import { createErrorFinals } from '../../src/activities/polling/error-finals.js';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import { toLedgerRow } from '../../src/ledger/index.js';
import type { CallOutcome } from '../../src/protocol/index.js';
import type { Charge, SandboxOptions } from '../../sandbox/index.js';
import { until } from '../support/until.js';
import { withActivities } from './with-activities.js';

const PDF = 'getElectoralEditionPdf';

describe.each<[string, SandboxOptions]>([
  ['at once', {}],
  ['by a 202 that is charged', { dialect: { pending: [PDF], debitAt: 'answer' }, queryMs: 20 }],
  ['by a 202 that says zero', { dialect: { pending: [PDF], debitAt: 'completion' }, queryMs: 20 }],
])('the PDF of an edition that is answered %s', (_what, sandbox) => {
  const world = withActivities({ sandbox });

  it('is booked at the price that the book has, and says whether the service told it', async () => {
    const account = 'default';
    const run = { workflowId: `prices/${randomUUID()}`, firstRunId: randomUUID(), workflowType: 'callOperation' };
    const params = { id: 'djee-sp-2026-03-10' };
    const input = { ...run, step: 'call', ordinal: 1, account, params, flags: [] };
    const attempt = { attempt: 1, attemptToken: randomUUID() };
    const outcome = (await runChargedCall(world.deps(), PDF, input, attempt)) as CallOutcome;
    const { intentId = '' } = outcome;
    if (outcome.outcome === 'PENDING') {
      const asked = { ...input, operation: PDF, intentId, sinceMs: Date.now() };
      const asker = { signal: AbortSignal.timeout(30_000), workflowId: run.workflowId, errors: createErrorFinals() };
      await until(() => awaitFinal(world.deps(), asked, asker).catch(() => undefined), { what: 'the final answer' });
    }
    const row = toLedgerRow((await world.deps().ledger.find(intentId))!);
    const { charges } = await world.control<{ charges: readonly Charge[] }>('/charges');
    expect(charges.map(({ amount }) => amount)).toEqual([800]);
    const told = outcome.outcome === 'PENDING' && sandbox.dialect?.debitAt === 'answer';
    expect(row).toMatchObject({ state: 'done', charged: '0.08', amountSource: told ? 'told' : 'listed' });
  });
});
