/** Errors of the starters. Recognised by `name`, so they survive duplicate copies of the package. */
import { ApplicationFailure } from '@temporalio/common';

/** A run under this id is on its way and would not give what is asked now. Wait for it, or start under another id. */
export class DifferentInput extends Error {
  override readonly name = 'DifferentInput';
  readonly workflowId: string;

  constructor(workflowId: string) {
    super(
      `tramita: workflow "${workflowId}" is running with a different input; wait for it to end, or start with a workflowId of your own`,
    );
    this.workflowId = workflowId;
  }
}

export function invalidInput(problem: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(`tramita: ${problem}. Nothing was started`, 'InvalidInput');
}
