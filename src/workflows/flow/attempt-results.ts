/**
 * What came of the attempt that a person has asked for with `resume`: the update waits for its result, so that it can say whether
 * the flow goes on or is parked again.
 */
import { condition } from '@temporalio/workflow';
import type { FlowState } from '../../protocol/index.js';

/** How long `resume` waits for the result of its attempt. A hold is known within seconds, so a longer attempt was sent. */
const RESULT_WITHIN_MS = 20_000;
/** States that follow an attempt that went well. */
const AFTER_SUCCESS: readonly FlowState[] = ['waiting', 'downloading', 'done'];

interface AttemptResults {
  readonly add: () => void;
  /** The flow leaves a park in `state`: after an attempt that went well, or for the next attempt. */
  readonly enter: (state: FlowState) => void;
  /** Waits for the result of the attempt that a person asks for now. */
  readonly next: () => Promise<void>;
}

/** Counts the results of attempts. A result is a new park, a wait, an answer, or the end of the flow. */
export function createAttemptResults(): AttemptResults {
  let count = 0;
  /** Attempts that have begun since a person asked for one. */
  let attempts = 0;
  return {
    add: () => {
      count += 1;
    },
    enter: (state) => {
      attempts += 1;
      if (attempts > 1 || AFTER_SUCCESS.includes(state)) count += 1;
    },
    next: async () => {
      const before = count;
      attempts = 0;
      await condition(() => count > before, RESULT_WITHIN_MS, { summary: 'the outcome of the resume' });
    },
  };
}
