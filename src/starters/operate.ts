/** What people and bridges do to running flows: look, wake, resume, decide. By name constants, never by workflow code. */
import type { Client } from '@temporalio/client';
import {
  QUERY_PROGRESS,
  SIGNAL_WAKE,
  UPDATE_RESUME,
  UPDATE_SETTLE_CHARGE,
  type Progress,
  type ResumeInput,
  type SettleChargeInput,
  type WakeInput,
} from '../protocol/index.js';

export function readProgress(client: Client, workflowId: string): Promise<Progress> {
  return client.workflow.getHandle(workflowId).query<Progress>(QUERY_PROGRESS);
}

/** A hint; can only shorten a wait. Throws `WorkflowNotFoundError` when the flow has ended. */
export function wakeFlow(client: Client, workflowId: string, wake: WakeInput = {}): Promise<void> {
  return client.workflow.getHandle(workflowId).signal(SIGNAL_WAKE, wake);
}

/**
 * A person's decision about a charge. Throws `WorkflowUpdateFailedError` with the reason when it is refused, and
 * `WorkflowNotFoundError` when no such flow runs; with `firstRunId`, also when another run has its id now.
 */
export function settleCharge(
  client: Client,
  workflowId: string,
  input: SettleChargeInput,
  { firstRunId }: { readonly firstRunId?: string } = {},
): Promise<{ step: string; decision: string }> {
  const chain = firstRunId === undefined ? {} : { firstExecutionRunId: firstRunId };
  return client.workflow.getHandle(workflowId, undefined, chain).executeUpdate(UPDATE_SETTLE_CHARGE, { args: [input] });
}

/** Try again now what the flow is parked on. Throws `WorkflowUpdateFailedError` when nothing of the kind is parked. */
export function resumeFlow(client: Client, workflowId: string, input: ResumeInput): Promise<{ resumed: true }> {
  return client.workflow.getHandle(workflowId).executeUpdate(UPDATE_RESUME, { args: [input] });
}
