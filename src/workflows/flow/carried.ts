/** The state that a run hands to the next one after the input. It is accepted only from our own runs, never from a caller. */
import { workflowInfo } from '@temporalio/workflow';
import { isJsonObject } from '../../contract/json.js';
import { isBook, type Book } from './flow-record.js';
import { refuseInput, extraArgumentsProblem } from './read-input.js';
import type { Is } from './shape.js';

type Carried<State> = State & { readonly book: Book };

/**
 * The second argument of a run that continues one of ours; undefined if there is none. A start, a reset of a start and a cron
 * run that have one are refused. A retried run (`attempt`) may repeat the arguments of a start that never ran, so it ignores
 * the state and begins again: its steps have the same keys, and what they paid is reused.
 */
export function readCarried<State extends object>(
  input: unknown,
  more: readonly unknown[],
  isState: Is<State>,
): Carried<State> | undefined {
  if (more.length === 0) return undefined;
  const { continuedFromExecutionRunId, attempt } = workflowInfo();
  if (continuedFromExecutionRunId === undefined) throw refuseInput(input, extraArgumentsProblem(more.length));
  if (attempt > 1) return undefined;
  const [state] = more;
  // Runs of older workers hand on only the records.
  const given = isJsonObject(state) ? (state['book'] ?? { records: state['records'] }) : undefined;
  const book = isJsonObject(given) ? { counts: {}, ...given } : undefined;
  if (more.length === 1 && isState(state) && isBook(book)) return { ...state, book };
  throw refuseInput(input, 'the state handed on by the previous run has an unexpected form');
}
