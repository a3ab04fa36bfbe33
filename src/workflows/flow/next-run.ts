/**
 * Continue-as-new of flows that may read many pages, so that no history comes near the size at which the server terminates the
 * run (50 MB or 51,200 events). Step keys and the first run's id stay, so nothing is paid again.
 */
import { allHandlersFinished, condition, makeContinueAsNewFunc, patched, workflowInfo } from '@temporalio/workflow';
import { present } from '../../contract/values/index.js';
import type { Flow } from './flow.js';
import { isLong } from './history-length.js';

/** Asked between two calls. Runs from before this patch stay as they were while they are replayed. */
export function needsNewRun(): boolean {
  return isLong(workflowInfo()) && patched('many-pages-continue-as-new');
}

/** Ends this run; the next one gets the same input, the book and `state`. Never called with a charged call in flight. */
export async function continueInNewRun(flow: Flow, input: unknown, state: object): Promise<never> {
  // A person's decision that is being recorded must be in the ledger before the run ends.
  await condition(allHandlersFinished);
  // By default the next run gets the memo as the run was started with, without a cap that a person has raised since.
  const { memo } = workflowInfo();
  const next = makeContinueAsNewFunc<(input: unknown, state: unknown) => Promise<unknown>>(present({ memo }));
  return next(input, { ...state, book: flow.book() });
}
