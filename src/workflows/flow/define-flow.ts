/**
 * What every flow is wrapped in: one that is cancelled ends as cancelled, whatever its last activity says. The server does not
 * try an activity again whose cancellation was asked for, so an attempt that only said "not yet" would end the flow as failed.
 */
import { ActivityFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import { CancelledFailure } from '@temporalio/common';
import type { WorkflowType } from '../../protocol/index.js';

type FlowFunction<Result> = (input: unknown, ...more: unknown[]) => Promise<Result>;

export function defineFlow<Result>(type: WorkflowType, body: FlowFunction<Result>): FlowFunction<Result> {
  const flow: FlowFunction<Result> = async (...args) => {
    try {
      return await body(...args);
    } catch (error) {
      throw CancellationScope.current().consideredCancelled && isCancelledCall(error)
        ? new CancelledFailure('Workflow cancelled', [], error as Error)
        : error;
    }
  };
  // A client that is given the function starts the flow by its name.
  return Object.defineProperty(flow, 'name', { value: type });
}

/** A free call that was under way when its cancellation was asked for, whichever way its last attempt ended. */
export function isCancelledCall(error: unknown): boolean {
  return isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
}
