/** Whether a flow that joins pending work waits for its webhook depends on that flow, not on the one that has paid. */
import { randomUUID } from 'node:crypto';
import { runChargedCall } from '../../src/activities/charged/charged-call.js';
import type { ChargedCallInput } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { withActivities } from './with-activities.js';

describe('a flow that joins pending work', () => {
  const world = withActivities();

  async function join(cnj: string, more: Pick<ChargedCallInput, 'webhook' | 'webhookPatienceMs'>) {
    const run = randomUUID();
    const step = { workflowId: `join/${run}`, firstRunId: run, step: 'requestRefresh', ordinal: 1 };
    const input = { ...step, account: 'default', workflowType: 'test', params: { cnj }, flags: [], ...more };
    return runChargedCall(world.deps(), 'requestRefresh', input, { attempt: 1, attemptToken: randomUUID() });
  }

  it('polls if neither it nor its account expects webhooks, although the call was sent with one', async () => {
    const cnj = newCase();
    const first = await join(cnj, { webhook: true, webhookPatienceMs: 300_000 });
    expect(first).toMatchObject({ outcome: 'PENDING', webhookExpected: true });

    expect(await join(cnj, {})).toMatchObject({ outcome: 'PENDING', webhookExpected: false });
    expect(await join(cnj, { webhook: false })).toMatchObject({ outcome: 'PENDING', webhookExpected: false });
    expect(await join(cnj, { webhook: true })).toMatchObject({ outcome: 'PENDING', webhookExpected: true });
  });
});
