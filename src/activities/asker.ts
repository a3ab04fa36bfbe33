/** The execution of a free activity: which flow called it, which attempt this is, and its cancellation signal. */
import { Context } from '@temporalio/activity';
import type { FreeRead } from '../http/index.js';
import type { StepKey, StepOfFlow } from '../protocol/index.js';

export interface Asker {
  readonly workflowId: string;
  readonly workflowType: string;
  /** The flow under which a charge is booked if a free read is charged all the same. */
  readonly reader: FreeRead['reader'];
  /** The current run; ids of activities are unique in it. */
  readonly runId: string;
  /** From 1. */
  readonly attempt: number;
  /** Identifies the activity, whatever its attempt. */
  readonly activity: string;
  /** When the first attempt was scheduled, epoch ms. */
  readonly scheduledAtMs: number;
  /** When Temporal scheduled this attempt, epoch ms by its clock: it is no earlier now, whatever the worker's clock says. */
  readonly attemptScheduledAtMs: number;
  readonly signal: AbortSignal;
  /** Time limit of this attempt (start-to-close timeout), ms. */
  readonly withinMs: number;
}

/** See {@link Asker.activity}. */
export function activityKey(runId: string, activityId: string): string {
  return `${runId}/${activityId}`;
}

/** `input`: the activity's, which names the first run: Temporal tells an activity only its current run. */
export function currentAsker(input: unknown): Asker {
  const { cancellationSignal: signal, info } = Context.current();
  const { attempt, scheduledTimestampMs: scheduledAtMs, startToCloseTimeoutMs: withinMs, workflowType = '' } = info;
  const { currentAttemptScheduledTimestampMs: attemptScheduledAtMs } = info;
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  const reader = { workflowId, firstRunId: firstRunIn(input) ?? runId, workflowType };
  const activity = activityKey(runId, info.activityId);
  const flow = { workflowId, workflowType, runId, reader };
  return { ...flow, attempt, activity, scheduledAtMs, attemptScheduledAtMs, signal, withinMs };
}

/** The first run of the flow, if the input names it; a flow of an older worker may not. */
function firstRunIn(input: unknown): string | undefined {
  const { firstRunId, run } = (input ?? {}) as Partial<Pick<StepKey, 'firstRunId'> & Pick<StepOfFlow, 'run'>>;
  return firstRunId ?? run?.firstRunId;
}
