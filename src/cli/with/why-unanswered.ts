/** Why a decision has no answer yet: nobody takes the flow's tasks, or the database does not take what its worker writes. */
import type { Client } from '@temporalio/client';
import { ifAnswered } from './with-client.js';

export async function whyUnanswered(client: Client, workflowId: string, withinMs: number): Promise<string> {
  const described = await ifAnswered(client, () => client.workflow.getHandle(workflowId).describe());
  const isRecording = (described?.raw.pendingActivities ?? []).some(
    // One that no worker has begun says nothing of the database.
    ({ activityType, attempt, lastStartedTime }) =>
      activityType?.name === 'recordDecision' && ((attempt ?? 1) > 1 || Boolean(lastStartedTime)),
  );
  return isRecording
    ? `the flow has the decision, and its worker could not write it into the database within ${withinMs / 1_000} s; it goes on trying, see "tramita doctor"`
    : `no worker answered within ${withinMs / 1_000} s`;
}
