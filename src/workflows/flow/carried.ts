/** What a run hands to the next one beside the input. Nobody else may: state of ours never comes from a caller. */
import { workflowInfo } from '@temporalio/workflow';
import { refuseInput, secondArgument } from './read-input.js';

/**
 * The second argument of a run that continues one of ours, undefined where there is none. A start, a reset of a start and a cron
 * run are refused with it. A retried run (`attempt`) may repeat the arguments of a start that never ran, so it begins again
 * without: its steps have the same keys, and what they paid is reused.
 */
export function readCarried<State>(
  input: unknown,
  more: readonly unknown[],
  parse: (value: unknown) => State | undefined,
): State | undefined {
  if (more.length === 0) return undefined;
  const { continuedFromExecutionRunId, attempt } = workflowInfo();
  if (continuedFromExecutionRunId === undefined) throw refuseInput(input, secondArgument(more.length));
  if (attempt > 1) return undefined;
  const state = more.length === 1 ? parse(more[0]) : undefined;
  if (state === undefined) throw refuseInput(input, 'the state of the run before has not the form that a run hands on');
  return state;
}
