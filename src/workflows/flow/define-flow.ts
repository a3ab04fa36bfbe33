/**
 * Wraps every flow, so that a cancelled flow ends as cancelled whatever its last activity returned. A call in flight has
 * settled by then: its answer is in the ledger, and a later start gets it by `maxAge`. A cancelled flow does not continue as
 * new, because the next run would not know of the cancellation. The server does not retry an activity whose cancellation was
 * requested, so a last attempt that only said "not yet" would otherwise fail the flow. A flow that did not end well shows how
 * it ended, not what it last waited for.
 */
import {
  ActivityFailure,
  CancellationScope,
  ContinueAsNew,
  allHandlersFinished,
  condition,
  isCancellation,
  patched,
  setCurrentDetails,
} from '@temporalio/workflow';
import { CancelledFailure, TemporalFailure } from '@temporalio/common';
import type { WorkflowType } from '../../protocol/index.js';
import { describeEnd } from './details.js';

/** Runs from before this patch left updates that had been accepted without an answer. */
const AFTER_ITS_UPDATES = 'ends-after-its-updates';
/** Runs from before this patch ended with the result or the failure of their last call, or continued as new. */
const WITH_LAST_CALL = 'cancelled-with-its-last-call';

type FlowFunction<Result> = (input: unknown, ...more: unknown[]) => Promise<Result>;

export function defineFlow<Result>(type: WorkflowType, body: FlowFunction<Result>): FlowFunction<Result> {
  const flow: FlowFunction<Result> = async (...args) => {
    let result: Result;
    try {
      result = await body(...args);
    } catch (error) {
      await letUpdatesEnd();
      const failure = cancelledBy(error);
      const end = failure !== undefined && (isCancelledCall(error) || patched(WITH_LAST_CALL)) ? failure : error;
      if (end instanceof TemporalFailure) setCurrentDetails(describeEnd(end));
      throw end;
    }
    await letUpdatesEnd();
    const failure = cancelled();
    if (failure !== undefined && patched(WITH_LAST_CALL)) {
      setCurrentDetails(describeEnd(failure));
      throw failure;
    }
    return result;
  };
  // A client that gets this function starts the flow by the function's name.
  return Object.defineProperty(flow, 'name', { value: type });
}

/**
 * The server refuses a task that accepts an update and ends the run without the update's answer, and repeats it until the sender
 * gives up: a decision and a cancellation that come together would stop the flow for a minute.
 */
async function letUpdatesEnd(): Promise<void> {
  if (allHandlersFinished() || !patched(AFTER_ITS_UPDATES)) return;
  await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
}

/** Undefined if the flow was not cancelled, and for errors that fail only the workflow task. */
function cancelledBy(error: unknown): CancelledFailure | undefined {
  if (error instanceof ContinueAsNew) return cancelled();
  return error instanceof TemporalFailure ? cancelled(error) : undefined;
}

function cancelled(cause?: Error): CancelledFailure | undefined {
  return CancellationScope.current().consideredCancelled
    ? new CancelledFailure('Workflow cancelled', [], cause)
    : undefined;
}

/** True for a call that was in flight when its cancellation was requested, however its last attempt ended. */
export function isCancelledCall(error: unknown): boolean {
  return isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
}
