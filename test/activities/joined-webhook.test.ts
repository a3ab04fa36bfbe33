/** Whether a flow that joins pending work waits for its webhook depends on that flow, not on the one that has paid. */
import type { CallOutcome, ChargedCallInput } from '../../src/protocol/index.js';
import { newCase } from '../support/case-number.js';
import { charge, newCall } from './calls.js';
import { withActivities } from './with-activities.js';

describe('a flow that joins pending work', () => {
  const world = withActivities();

  const join = (cnj: string, more: Partial<ChargedCallInput>): Promise<CallOutcome> =>
    charge(world.deps(), newCall('requestRefresh', { params: { cnj }, ...more }));

  it('polls if neither it nor its account expects webhooks, although the call was sent with one', async () => {
    const cnj = newCase();
    const first = await join(cnj, { webhook: true, webhookPatienceMs: 300_000 });
    expect(first).toMatchObject({ outcome: 'PENDING', webhookExpected: true });

    expect(await join(cnj, {})).toMatchObject({ outcome: 'PENDING', webhookExpected: false });
    expect(await join(cnj, { webhook: false })).toMatchObject({ outcome: 'PENDING', webhookExpected: false });
    expect(await join(cnj, { webhook: true })).toMatchObject({ outcome: 'PENDING', webhookExpected: true });
  });
});
