/** The failure of a run: type, message and details of its `ApplicationFailure`. Throws when the run succeeds. */
import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import type { FailureDetails } from '../../src/protocol/index.js';

export interface FlowEnd {
  readonly type: string | null | undefined;
  readonly message: string;
  readonly details: FailureDetails;
}

export async function failureOf(run: { result(): Promise<unknown> }): Promise<FlowEnd> {
  try {
    const result = await run.result();
    throw new Error(`expected a failure, got ${JSON.stringify(result)}`);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError) || !(error.cause instanceof ApplicationFailure)) throw error;
    const { type, message, details, nonRetryable } = error.cause;
    expect(nonRetryable).toBe(true);
    return { type, message, details: details?.[0] as FailureDetails };
  }
}
