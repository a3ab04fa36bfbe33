/** Where an import waits: for the service's search, or for a person. What was read is kept. */
import { condition, patched, sleep } from '@temporalio/workflow';
import { present } from '../../contract/values/index.js';
import type { Flow } from '../flow/flow.js';
import { parkUntilResumed } from '../step/parking.js';
import { earliestRecheckMs, recheckAfterMs, SEARCH_EVENT } from './decide-recheck.js';
import type { Import } from './import-state.js';

export function show(flow: Flow, { paidChecks, restarts, staging }: Import): void {
  flow.count({ paidChecks, restarts, ...present({ pages: staging?.pages }) });
}

/** Waits by a growing timer. Only the event that names this search may shorten it, never below ten minutes after a purchase. */
export async function waitForCoverage(
  flow: Flow,
  state: Import,
  {
    waitingFor = 'the service to finish its search (the rows found so far are stored, marked as provisional)',
    eventsAtAnswer,
  }: { readonly waitingFor?: string; readonly eventsAtAnswer?: number },
): Promise<void> {
  show(flow, state);
  const { paidChecks, allowed, lastPurchaseMs } = state;
  const seen = flow.eventsOf(SEARCH_EVENT);
  // An event that came while page 1 was being stored is news: its answer was read before.
  const isNews = eventsAtAnswer !== undefined && eventsAtAnswer < seen && patched('import-hears-events-at-once');
  const waitMs = recheckAfterMs(paidChecks);
  const buys = `the next check buys page 1 again (${paidChecks + 1} of at most ${allowed})`;
  flow.enter({ state: 'waiting', waitingFor: `${waitingFor}; ${buys}`, nextCheckAtMs: Date.now() + waitMs });
  const announced =
    isNews ||
    (await condition(() => flow.eventsOf(SEARCH_EVENT) > seen, waitMs, {
      summary: 'wait before page 1 is bought again',
    }));
  const tooSoonMs = earliestRecheckMs(lastPurchaseMs) - Date.now();
  if (announced && tooSoonMs > 0) await sleep(tooSoonMs, { summary: 'ten minutes between two purchases' });
}

/**
 * A list that changed during the import may keep changing: page 1 is bought again no sooner than after partial coverage. If no
 * further purchase is allowed, a person is asked at once.
 */
export async function afterListChanged(flow: Flow, state: Import): Promise<Import> {
  const mayBuy = state.paidChecks < state.allowed;
  if (mayBuy && patched('import-restarts-wait')) {
    await waitForCoverage(flow, state, { waitingFor: 'the list, which changed during the import, to stop changing' });
  }
  return state;
}

/** Parks until a person resumes, which allows at least one more purchase of page 1. */
export async function parkStalled(
  flow: Flow,
  state: Import,
  story: string,
  choice = '`resume`: read the list from the start; page 1 is bought once more',
): Promise<Import> {
  show(flow, state);
  await flow.parkUntilVerdict({
    attention: 'stalled',
    waitingFor: 'a person to continue the import',
    accepts: ['resume'],
    note: {
      step: `listLawyerCases/${state.paidChecks}`,
      story: `${story}. What was read is kept; rows of an incomplete list are marked as provisional.`,
      choices: [choice],
    },
    givesUp: {
      type: 'PendingTooLong',
      operation: 'listLawyerCases',
      message: `the import is not complete: ${story}. Start again, if necessary with a larger "maxPaidChecks"`,
    },
  });
  return { ...state, allowed: Math.max(state.allowed, state.paidChecks + 1) };
}

interface RefusedPage {
  readonly page: number;
  readonly status: number;
}

/** A refused key is tried again by itself, as for a charged call; any other refusal waits for a person. */
export async function parkOnRefusal(flow: Flow, state: Import, { page, status }: RefusedPage): Promise<Import> {
  if ((status === 401 || status === 403) && patched('import-parks-for-credentials')) {
    await parkUntilResumed(
      flow,
      { step: `listLawyerCases/${state.paidChecks}`, operation: 'listLawyerCases', title: `GET cases page ${page}` },
      { attention: 'credentials', facts: { status, charged: '0', reused: false, settled: true }, free: true },
    );
    return state;
  }
  const choice = '`resume`: ask for that page again, which is free; page 1 is not bought again';
  return parkStalled(flow, state, refusalOf({ page, status }), choice);
}

/** A status of 0 or 2xx is no refusal: the activity retried the page for more than an hour before it gave up. */
function refusalOf({ page, status }: RefusedPage): string {
  const late = `page ${page} of the list did not arrive for more than an hour`;
  if (status === 0) return `${late}: the service has not answered, or no worker has the account`;
  return status < 300
    ? `${late}: HTTP ${status} without a page`
    : `page ${page} of the list was refused: HTTP ${status}`;
}
