/**
 * `refreshPortfolio`: an activity, the dispatcher, starts ordinary `refreshCase` runs through the client, `concurrency` of them
 * at a time, and keeps the state of each case in a table. They are no child workflows: people and portfolios share the same
 * runs, and a case that parks or fails stops no other. This flow only runs the dispatcher in shifts.
 */
import { present, withoutPrefix } from '../contract/values/index.js';
import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import { FLOWS, type DispatchResult, type FlowSettings, type RefreshPortfolioResult } from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow, isCancelledCall } from './flow/define-flow.js';
import { dispatchCalls } from './flow/calls.js';
import type { Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';
import { FIRST_SHIFT_MS, SHIFT_MS, SHIFTS_PER_RUN } from './parts/portfolio-shifts.js';

export const refreshPortfolio = defineFlow(
  'refreshPortfolio',
  async (input, ...more): Promise<RefreshPortfolioResult> => {
    const settings = readInput(FLOWS.refreshPortfolio.parse, input, more);
    const flow = await beginFlow({ type: 'refreshPortfolio', settings, label: `portfolio ${settings.name}` });
    for (let shift = 0; shift < SHIFTS_PER_RUN; shift += 1) {
      const isStart = shift === 0 && workflowInfo().continuedFromExecutionRunId === undefined;
      const shiftMs = shift === 0 ? FIRST_SHIFT_MS : SHIFT_MS;
      const result = await dispatch(flow, settings, { triesAgain: isStart, shiftMs });
      flow.count(countsOf(result));
      flow.showSpent(result.spent);
      if (result.finished) return end(flow, result);
      // A new run only shortens the history: all state is in the database.
      if (workflowInfo().continueAsNewSuggested) break;
    }
    return continueAsNew<typeof refreshPortfolio>(input);
  },
);

async function dispatch(
  flow: Flow,
  settings: FlowSettings<'refreshPortfolio'>,
  { triesAgain, shiftMs }: { readonly triesAgain: boolean; readonly shiftMs: number },
): Promise<DispatchResult> {
  const { account, name, cases, concurrency, documents, maxSpend, once, maxAgeMs, webhook, webhookPatienceMs } =
    settings;
  flow.enter({ state: 'requesting', waitingFor: `refreshes of portfolio ${name}, ${concurrency} at a time` });
  try {
    return await dispatchCalls(`dispatch portfolio ${name}`).dispatchPortfolio({
      // With `once` a later start goes on with the same round; otherwise each start is a round of its own.
      round: `${account}/${name}/${once === undefined ? flow.firstRunId : `once/${once}`}`,
      account,
      name,
      concurrency,
      shiftMs,
      triesAgain,
      ...present({ cases, maxSpend }),
      refresh: {
        documents,
        ...present({ maxAge: inSeconds(maxAgeMs), webhook: inSeconds(webhookPatienceMs) ?? webhook }),
      },
    });
  } catch (error) {
    if (isCancelledCall(error)) throw error;
    throw flow.fail('InvalidInput', reasonOf(error), { operation: 'requestRefresh' });
  }
}

/** The dispatcher is retried forever; it fails only if it can never succeed, and its message says why. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly message?: string } };
  return withoutPrefix(cause?.message ?? 'the dispatcher ended without saying why');
}

function inSeconds(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `${Math.ceil(ms / 1_000)}s`;
}

function countsOf({ done, failed, parked, skipped, remaining }: DispatchResult) {
  return { done, failed, parked, skipped, remaining };
}

function end(flow: Flow, result: DispatchResult): RefreshPortfolioResult {
  const { remaining, stoppedBy } = result;
  return { ...countsOf(result), ...(remaining === 0 || stoppedBy === null ? {} : { stoppedBy }), ...flow.end() };
}
