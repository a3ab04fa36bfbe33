/**
 * What every flow is wrapped in: one that is cancelled ends as cancelled, whatever its last activity says. A call that was on
 * its way has settled by then: what it paid for is in the ledger, and no result is lost that `maxAge` cannot have. No new run
 * continues it, for that one would know nothing of the cancellation. The server does not try an activity again whose
 * cancellation was asked for, so an attempt that only said "not yet" would end the flow as failed. What people read of one
 * that did not end well is how it ended, and not what it waited for last.
 */
import {
  ActivityFailure,
  CancellationScope,
  ContinueAsNew,
  isCancellation,
  patched,
  setCurrentDetails,
} from '@temporalio/workflow';
import { CancelledFailure, TemporalFailure } from '@temporalio/common';
import type { WorkflowType } from '../../protocol/index.js';
import { describeEnd } from './details.js';

/** Runs from before this patch ended with the result, or the failure, of that call, or went on in a new run. */
const WITH_LAST_CALL = 'cancelled-with-its-last-call';

type FlowFunction<Result> = (input: unknown, ...more: unknown[]) => Promise<Result>;

export function defineFlow<Result>(type: WorkflowType, body: FlowFunction<Result>): FlowFunction<Result> {
  const flow: FlowFunction<Result> = async (...args) => {
    let result: Result;
    try {
      result = await body(...args);
    } catch (error) {
      const failure = cancelledBy(error);
      const end = failure !== undefined && (isCancelledCall(error) || patched(WITH_LAST_CALL)) ? failure : error;
      if (end instanceof TemporalFailure) setCurrentDetails(describeEnd(end));
      throw end;
    }
    const failure = cancelled();
    if (failure !== undefined && patched(WITH_LAST_CALL)) {
      setCurrentDetails(describeEnd(failure));
      throw failure;
    }
    return result;
  };
  // A client that is given the function starts the flow by its name.
  return Object.defineProperty(flow, 'name', { value: type });
}

/** Undefined where it was not cancelled, and for what breaks the task. */
function cancelledBy(error: unknown): CancelledFailure | undefined {
  if (error instanceof ContinueAsNew) return cancelled();
  return error instanceof TemporalFailure ? cancelled(error) : undefined;
}

function cancelled(cause?: Error): CancelledFailure | undefined {
  return CancellationScope.current().consideredCancelled
    ? new CancelledFailure('Workflow cancelled', [], cause)
    : undefined;
}

/** A free call that was under way when its cancellation was asked for, whichever way its last attempt ended. */
export function isCancelledCall(error: unknown): boolean {
  return isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
}
