/** Charged calls of `callOperation`, `collectPages` and `searchBoard`. */
import { describeCall, peekCollection } from '../../activities/index.js';
import { parseCnj, present, type JsonObject, type Parameters } from '../../contract/index.js';
import {
  cutIntoWindows,
  pagesProblem,
  reachProblem,
  splitGuard,
  worstOfBoard,
  type BoardWindow,
  type DescribedCall,
  type FlowSettings,
  type StepOfFlow,
} from '../../protocol/index.js';
import { createBill, type Bill } from '../bill.js';
import type { Planner } from '../deps.js';
import { walkAhead } from './pages.js';
import { endUnlessRefreshed } from './refreshed.js';

/** Describes a call as its flow does. Where the flow would refuse it, ends the bill with the reason and returns undefined. */
export function describeOrEnd(
  planner: Planner,
  bill: Bill,
  call: {
    readonly account: string;
    readonly operation: string;
    readonly params: Parameters;
    readonly body?: JsonObject | undefined;
  },
): DescribedCall | undefined {
  const { body, ...rest } = call;
  const description = describeCall(planner, { ...rest, ...present({ body }) });
  if (description.known) return description;
  bill.end(description.problem);
  return undefined;
}

export async function planCallOperation(
  planner: Planner,
  bill: Bill,
  settings: FlowSettings<'callOperation'>,
): Promise<void> {
  const { operation, body, maxAgeMs } = settings;
  const first = { workflowType: 'callOperation', step: operation };
  const call = await describeGuarded(planner, bill, { ...settings, first });
  if (call === undefined) return;
  bill.endIf(reachProblem(operation, call.params));
  const { params, flags } = call;
  await bill.add({ step: operation, operation, params, flags, ...present({ body, maxAgeMs }) });
}

export async function planCollectPages(
  planner: Planner,
  bill: Bill,
  settings: FlowSettings<'collectPages'>,
): Promise<void> {
  const { account, operation, maxPages, maxAgeMs } = settings;
  const first = { workflowType: 'collectPages', step: `${operation}/1` };
  const call = await describeGuarded(planner, bill, { ...settings, first });
  if (call === undefined) return;
  bill.endIf(pagesProblem(operation, call.paging));
  const reuse = await peekCollection(planner, { account, key: call.token, ...present({ maxAgeMs }) });
  await walkAhead(planner, bill, { account, call, maxPages, reuse, step: operation });
}

/** Makes the flow's checks: our own switch in `params`, the arguments, and a refresh before a list of documents. */
async function describeGuarded(
  planner: Planner,
  bill: Bill,
  {
    first,
    ...settings
  }: FlowSettings<'collectPages' | 'callOperation'> & {
    readonly body?: JsonObject | undefined;
    /** First charged step of the flow. */
    readonly first: Pick<StepOfFlow, 'workflowType' | 'step'>;
  },
): Promise<DescribedCall | undefined> {
  const { account, operation, body, once } = settings;
  const split = splitGuard(settings);
  if (!split.ok) {
    bill.end(split.problem);
    return undefined;
  }
  const { params, evenIfNotRefreshed } = split;
  const call = describeOrEnd(planner, bill, { account, operation, params, body });
  if (call === undefined || operation !== 'listPublicDocuments' || evenIfNotRefreshed) return call;
  const cnj = parseCnj(settings.params['cnj']);
  const list = { account, ...first, ...present({ once }) };
  if (cnj.ok) await endUnlessRefreshed(planner, bill, { account, cnj: cnj.cnj, list });
  return call;
}

/** `maxPages` counts the pages of all windows together, including those already paid. */
export async function planSearchBoard(
  planner: Planner,
  bill: Bill,
  settings: FlowSettings<'searchBoard'>,
): Promise<void> {
  const { account, from, to, filters, maxPages, maxSpend } = settings;
  const operation = 'searchElectoralBoard';
  const windows = cutIntoWindows({ from, to });
  const callOf = (window: BoardWindow): DescribedCall | undefined =>
    describeOrEnd(planner, bill, { account, operation, params: { ...filters, ...window } });
  const [first] = windows;
  const call = first && callOf(first);
  if (first === undefined || call === undefined) return;
  const { fits } = worstOfBoard({ price: call.price, maxPages, maxSpend });
  if (!fits) bill.end('the plan does not fit under input.maxSpend: ask for fewer pages, or raise maxSpend');

  const { paidPages, paidWindows } = await addPaidWindows(planner, bill, settings, windows, callOf);
  const page = { step: `${operation}/…`, operation, params: call.params, flags: call.flags };
  const left = Math.min(windows.length - paidWindows, maxPages - paidPages);
  // A later window may be paid already too.
  const least = mayBePaidAlready(settings) ? 0 : left;
  await bill.addSome(page, { least, most: left === 0 ? 0 : maxPages - paidPages });
}

/** Adds the pages already paid, up to the first that must be bought. After that one, only the most pages to buy are known. */
async function addPaidWindows(
  planner: Planner,
  bill: Bill,
  settings: FlowSettings<'searchBoard'>,
  windows: readonly BoardWindow[],
  callOf: (window: BoardWindow) => DescribedCall | undefined,
): Promise<{ readonly paidPages: number; readonly paidWindows: number }> {
  const { account, maxPages, maxAgeMs } = settings;
  let paidPages = 0;
  for (const [paidWindows, window] of windows.entries()) {
    const call = mayBePaidAlready(settings) && paidPages < maxPages ? callOf(window) : undefined;
    if (call === undefined) return { paidPages, paidWindows };
    const attempt = createBill(planner, { type: 'searchBoard', settings });
    const step = `${call.operation}/${window.from}`;
    const reuse = present({ maxAgeMs });
    const ahead = await walkAhead(planner, attempt, { account, call, maxPages: maxPages - paidPages, reuse, step });
    bill.addLines(attempt.lines.slice(0, ahead.pages));
    paidPages += ahead.pages;
    if (!ahead.isWhole) return { paidPages, paidWindows };
  }
  return { paidPages, paidWindows: windows.length };
}

/** Answers that were paid before are used only with `maxAge`, or under the `once` that has paid for them. */
function mayBePaidAlready({ maxAgeMs, once }: FlowSettings<'searchBoard'>): boolean {
  return maxAgeMs !== undefined || once !== undefined;
}
