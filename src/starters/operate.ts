/** What people and bridges do to running flows: look, wake, resume, decide. By name constants, never by workflow code. */
import type { Client } from '@temporalio/client';
import {
  QUERY_PROGRESS,
  SIGNAL_WAKE,
  UPDATE_RESUME,
  UPDATE_SETTLE_CHARGE,
  type Progress,
  type ResumeInput,
  type ResumeResult,
  type SettleChargeInput,
  type SettleChargeResult,
  type WakeInput,
} from '../protocol/index.js';

/** Asks a flow for its progress. Needs a worker that answers; ended flows answer as well. */
export function readProgress(client: Client, workflowId: string): Promise<Progress> {
  return client.workflow.getHandle(workflowId).query<Progress>(QUERY_PROGRESS);
}

/** The text that stands as "current details" in the Temporal UI, Markdown. Undefined where the run has none. */
export async function readDetails(client: Client, workflowId: string): Promise<string | undefined> {
  const { currentDetails } = await client.workflow
    .getHandle(workflowId)
    .query<{ readonly currentDetails?: string | null }>('__temporal_workflow_metadata');
  return currentDetails === null || currentDetails === '' ? undefined : currentDetails;
}

/** Wakes a flow: a hint that can only shorten a wait. Throws `WorkflowNotFoundError` when the flow has ended. */
export function wakeFlow(client: Client, workflowId: string, wake: WakeInput = {}): Promise<void> {
  return client.workflow.getHandle(workflowId).signal(SIGNAL_WAKE, wake);
}

/**
 * Gives a flow a person's decision about a charge. Throws `WorkflowUpdateFailedError` with the reason when it is refused (its
 * cause has type `NotParked` where the flow is not parked on that step, or not on the charge `intentId`), and `WorkflowNotFoundError` when no such flow runs;
 * with `firstRunId`, also when another run has its id now.
 */
export function settleCharge(
  client: Client,
  workflowId: string,
  input: SettleChargeInput,
  { firstRunId }: { readonly firstRunId?: string } = {},
): Promise<SettleChargeResult> {
  const chain = firstRunId === undefined ? {} : { firstExecutionRunId: firstRunId };
  const handle = client.workflow.getHandle(workflowId, undefined, chain);
  return handle.executeUpdate(UPDATE_SETTLE_CHARGE, { args: [input] });
}

/**
 * Lets a flow try again now what it is parked on, with `maxSpend` under a larger cap of its own. Answers what came of it, within
 * about 20 seconds: `resumed` is false where the flow is parked again. Throws `WorkflowUpdateFailedError` when nothing of the kind
 * is parked (its cause has type `NotParked`) or the cap is not larger.
 */
export function resumeFlow(client: Client, workflowId: string, input: ResumeInput): Promise<ResumeResult> {
  return client.workflow.getHandle(workflowId).executeUpdate(UPDATE_RESUME, { args: [input] });
}
