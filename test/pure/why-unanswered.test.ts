import type { Client } from '@temporalio/client';
import { whyUnanswered } from '../../src/cli/with/why-unanswered.js';

/** A client of a server that knows the flow, with these pending activities. */
const clientWith = (pendingActivities: readonly object[]): Client =>
  ({
    withDeadline: (_at: number, ask: () => Promise<unknown>) => ask(),
    workflow: { getHandle: () => ({ describe: () => Promise.resolve({ raw: { pendingActivities } }) }) },
  }) as unknown as Client;

describe('a decision without an answer', () => {
  it('may still be taken later: the server keeps it for the next worker', async () => {
    const text = await whyUnanswered(clientWith([]), 'flow', 30_000);
    expect(text).toContain('no worker answered within 30 s; the flow may still take the decision');
  });

  it('is being written if its activity has begun', async () => {
    const recording = { activityType: { name: 'recordDecision' }, attempt: 2 };
    const text = await whyUnanswered(clientWith([recording]), 'flow', 30_000);
    expect(text).toContain('the flow has the decision');
  });
});
