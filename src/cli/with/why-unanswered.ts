/** Why a decision has no answer yet: no worker takes the flow's tasks, or its worker cannot write to the database. */
import type { Client } from '@temporalio/client';
import { ifAnswered } from './with-client.js';

export async function whyUnanswered(client: Client, workflowId: string, withinMs: number): Promise<string> {
  const described = await ifAnswered(client, () => client.workflow.getHandle(workflowId).describe());
  const isRecording = (described?.raw.pendingActivities ?? []).some(
    // An activity that no worker has started says nothing about the database.
    ({ activityType, attempt, lastStartedTime }) =>
      activityType?.name === 'recordDecision' && ((attempt ?? 1) > 1 || Boolean(lastStartedTime)),
  );
  return isRecording
    ? `the flow has the decision, and its worker could not write it into the database within ${withinMs / 1_000} s; it keeps trying, see "tramita doctor"`
    : `no worker answered within ${withinMs / 1_000} s; the flow may still take the decision when a worker runs again, so do not send another one before that`;
}
