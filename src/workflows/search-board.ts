/**
 * `searchBoard`: searches a period in windows of at most seven civil days, the limit of the service. Plan and highest price are
 * known before the first call: a search that does not fit under the flow's cap is not begun. A long history continues as new.
 */
import { formatAmount, present } from '../contract/values/index.js';
import {
  FLOWS,
  cutIntoWindows,
  worstOfBoard,
  type BoardWindow,
  type DescribedCall,
  type FlowCosts,
  type FlowSettings,
  type PagesStop,
  type SearchBoardResult,
} from '../protocol/index.js';
import { beginFlow } from './flow/begin-flow.js';
import { defineFlow } from './flow/define-flow.js';
import { describe } from './parts/described-call.js';
import type { Flow } from './flow/flow.js';
import { readCarried } from './flow/carried.js';
import { continueInNewRun, needsNewRun } from './flow/next-run.js';
import { readInput } from './flow/read-input.js';
import { isCount, isFlag, isNumber, only, optional, shapeOf } from './flow/shape.js';
import { isWalkPlace, walkPages, type WalkPlace } from './parts/walk-pages.js';

const OPERATION = 'searchElectoralBoard';

/** How far a search got: the sums of the windows before `place`, and the place inside the window at `place`. */
interface Search extends Omit<SearchBoardResult, keyof FlowCosts> {
  readonly place: number;
  readonly walk?: WalkPlace;
}

const isHandedOn = shapeOf<{ readonly search: Search }>({
  search: shapeOf<Search>({
    place: isCount,
    windows: isNumber,
    publications: isNumber,
    pages: isNumber,
    complete: isFlag,
    stoppedBy: optional(only<PagesStop>('maxPages', 'loop', 'refused link', 'unsaid', 'not found')),
    walk: optional(isWalkPlace),
  }),
});

const BEGIN: Search = { place: 0, windows: 0, publications: 0, pages: 0, complete: true };

export const searchBoard = defineFlow('searchBoard', async (input, ...more): Promise<SearchBoardResult> => {
  const settings = readInput(FLOWS.searchBoard.parse, input);
  const carried = readCarried(input, more, isHandedOn);
  const { from, to, maxPages, maxAgeMs } = settings;
  const flow = await beginFlow({
    type: 'searchBoard',
    settings,
    label: `electoral board from ${from} to ${to}`,
    book: carried?.book,
  });
  const plan = cutIntoWindows({ from, to });
  const windows = plan.length;

  let search = carried?.search ?? BEGIN;
  for (const window of plan.slice(search.place)) {
    const before = search;
    if (before.pages >= maxPages) {
      search = { ...before, stoppedBy: 'maxPages' };
      break;
    }
    if (before.walk === undefined && needsNewRun()) return continueInNewRun(flow, input, { search: before });
    const call = await describeWindow(flow, settings, window);
    if (before.place === 0 && before.walk === undefined) checkPlan(flow, { windows, maxPages, price: call.price });
    const end = await walkPages(flow, {
      call,
      view: () => 'page',
      step: `${OPERATION}/${window.from}`,
      from: before.walk,
      mayBeMissing: true,
      maxPages: maxPages - before.pages,
      reuse: maxAgeMs === undefined ? {} : { maxAgeMs },
      onPage: (_reading, { pages, items }) =>
        flow.count({ pages: before.pages + pages, publications: before.publications + items }),
      inNewRun: (walk) => continueInNewRun(flow, input, { search: { ...before, walk } }),
    });
    const stoppedBy = end.stoppedBy ?? before.stoppedBy;
    search = {
      place: before.place + 1,
      windows: before.windows + 1,
      pages: before.pages + end.pages,
      publications: before.publications + end.items,
      complete: before.complete && end.complete,
      ...present({ stoppedBy }),
    };
    flow.count({ pages: search.pages, windows: search.windows });
  }
  const { publications, pages, complete, stoppedBy } = search;
  return {
    windows: search.windows,
    publications,
    pages,
    complete: complete && stoppedBy === undefined,
    ...present({ stoppedBy }),
    ...flow.end(),
  };
});

function describeWindow(
  flow: Flow,
  { filters }: FlowSettings<'searchBoard'>,
  window: BoardWindow,
): Promise<DescribedCall> {
  const call = { operation: OPERATION, params: { ...filters, from: window.from, to: window.to } };
  return describe(flow, call, { 'params.from ': 'from ', 'params.to ': 'to ', params: 'filters' });
}

function checkPlan(
  flow: Flow,
  { windows, maxPages, price }: { readonly windows: number; readonly maxPages: number; readonly price: string },
): void {
  const { maxSpend } = flow.settings;
  const { worst, fits } = worstOfBoard({ price, maxPages, maxSpend });
  const story = `${windows} windows, at most ${maxPages} pages at ${price} each: at most ${formatAmount(worst)}`;
  flow.count({ plannedWindows: windows, plannedPages: maxPages, plannedSpend: Number(formatAmount(worst)) });
  flow.enter({ state: 'starting', waitingFor: story });
  if (fits) return;
  throw flow.fail(
    'BudgetExceeded',
    `the plan does not fit under input.maxSpend ${maxSpend ?? ''}: ${story}. Nothing was sent; ask for fewer pages, or raise maxSpend`,
    { operation: OPERATION },
  );
}
