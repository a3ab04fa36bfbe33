/**
 * When a flow that may read many pages goes on in a new run, so that no history comes near the size at which the engine ends it
 * (50 MB or 51,200 events). Step keys and the first run's id stay, so nothing is paid again.
 */
import { allHandlersFinished, condition, makeContinueAsNewFunc, patched, workflowInfo } from '@temporalio/workflow';
import { present } from '../../contract/values/index.js';
import type { Flow } from './flow.js';
import { isLong } from './history-length.js';

/** Asked between two calls. Runs from before this patch go on as they are while they replay. */
export function needsNewRun(): boolean {
  return isLong(workflowInfo()) && patched('many-pages-continue-as-new');
}

/** Ends this run; the next one gets the same input, the book and `state`. Never called with a charged call in flight. */
export async function continueInNewRun(flow: Flow, input: unknown, state: object): Promise<never> {
  // A decision that a person has made is in the ledger before the run ends.
  await condition(allHandlersFinished);
  // The engine would hand on the memo as the run was started with, without the cap that a person has raised.
  const { memo } = workflowInfo();
  const next = makeContinueAsNewFunc<(input: unknown, state: unknown) => Promise<unknown>>(present({ memo }));
  return next(input, { ...state, book: flow.book() });
}
