/**
 * `searchBoard` (design 11): a period of any length in windows of at most seven civil days, the limit of the service. Plan and
 * worst price stand before the first call: what does not fit under the cap of the flow is not begun.
 */
import { formatAmount, parseAmount, type Amount } from '../contract/values/index.js';
import type { PagesStop, SearchBoardResult, SearchBoardSettings } from '../protocol/index.js';
import { parseSearchBoardInput } from '../protocol/index.js';
import { checkAccount } from './flow/account.js';
import { cutIntoWindows, type BoardWindow } from './parts/board-windows.js';
import { describe, type DescribedCall } from './parts/described-call.js';
import { openFlow, type Flow } from './flow/flow.js';
import { readInput } from './flow/read-input.js';
import { walkPages } from './parts/walk-pages.js';

const OPERATION = 'searchElectoralBoard';

export async function searchBoard(input: unknown): Promise<SearchBoardResult> {
  const settings = readInput(parseSearchBoardInput, input);
  const { from, to, maxPages, maxAgeMs } = settings;
  const flow = openFlow({ type: 'searchBoard', settings, label: `electoral board from ${from} to ${to}` });
  await checkAccount(flow);
  const plan = cutIntoWindows({ from, to });
  const windows = plan.length;

  const sum = { windows: 0, publications: 0, pages: 0 };
  let stoppedBy: PagesStop | undefined;
  let complete = true;
  for (const [place, window] of plan.entries()) {
    if (sum.pages >= maxPages) {
      stoppedBy = 'maxPages';
      break;
    }
    const call = await describeWindow(flow, settings, window);
    if (place === 0) checkPlan(flow, { windows, maxPages, price: call.price });
    const before = { ...sum };
    const end = await walkPages(flow, {
      ...{ call, view: 'page', step: `${OPERATION}/${window.from}` },
      maxPages: maxPages - sum.pages,
      reuse: maxAgeMs === undefined ? {} : { maxAgeMs },
      onPage: (_reading, { pages, items }) => {
        flow.count('pages', before.pages + pages);
        flow.count('publications', before.publications + items);
      },
    });
    sum.windows += 1;
    sum.pages += end.pages;
    sum.publications += end.items;
    complete &&= end.complete;
    stoppedBy = end.stoppedBy ?? stoppedBy;
    flow.count('windows', sum.windows);
  }
  flow.enter({ state: 'done' });
  return {
    ...sum,
    complete: complete && stoppedBy === undefined,
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    spent: flow.spent(),
    receipts: flow.receipts(),
  };
}

function describeWindow(flow: Flow, { filters }: SearchBoardSettings, window: BoardWindow): Promise<DescribedCall> {
  return describe(flow, { operation: OPERATION, params: { ...filters, from: window.from, to: window.to } });
}

function checkPlan(
  flow: Flow,
  { windows, maxPages, price }: { readonly windows: number; readonly maxPages: number; readonly price: string },
): void {
  const worst = ((parseAmount(price) ?? 0) * maxPages) as Amount;
  const story = `${windows} windows, at most ${maxPages} pages at ${price} each: at most ${formatAmount(worst)}`;
  flow.count('plannedWindows', windows);
  flow.count('plannedPages', maxPages);
  flow.count('plannedSpend', Number(formatAmount(worst)));
  flow.enter({ state: 'starting', waitingFor: story });
  const { maxSpend } = flow.settings;
  const cap = maxSpend === undefined ? undefined : parseAmount(maxSpend);
  if (cap === undefined || worst <= cap) return;
  throw flow.fail(
    'BudgetExceeded',
    `the plan does not fit under input.maxSpend ${maxSpend ?? ''}: ${story}. Nothing was sent; give fewer pages or more room`,
    { operation: OPERATION },
  );
}
