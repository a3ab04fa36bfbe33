/** Charged calls of the flows about one case: `refreshCase`, `summarizeCase`, `readCase`. */
import { present } from '../../contract/index.js';
import type { FlowSettings } from '../../protocol/index.js';
import type { Bill, PlannedEnd } from '../bill.js';
import type { Planner } from '../deps.js';
import { describeOrEnd } from './calls.js';
import { documentsAhead, documentsPage, walkAhead } from './pages.js';
import { endUnlessRefreshed } from './refreshed.js';

/** Later than every stored answer: only one that is still to be bought is new enough. */
const AFTER_ALL_ANSWERS_MS = 8_000_000_000_000;

export async function planRefreshCase(
  planner: Planner,
  bill: Bill,
  settings: FlowSettings<'refreshCase'>,
): Promise<void> {
  const { account, cnj, documents, maxPages, maxAgeMs, relist } = settings;
  const step = { step: 'requestRefresh', operation: 'requestRefresh', params: { cnj } };
  const refresh = await bill.add({ ...step, flags: documents ? ['documents'] : [], ...present({ maxAgeMs }) });
  if (hasFailed(refresh)) bill.end();
  if (!documents) return;
  const refreshedAtMs = settledAtMs(refresh);
  const list = { account, cnj, maxPages, maxAgeMs, notBeforeMs: refreshedAtMs };
  await documentsAhead(planner, bill, { ...list, sentNotBeforeMs: refreshedAtMs });
  if (!relist) return;
  const relistPage = { ...documentsPage({ ...list, maxAgeMs: undefined }, 1), step: 'listPublicDocuments/…/relist' };
  await bill.addSome(relistPage, { least: 0, most: maxPages });
}

/** True when the `once` key of the call names work that ended badly: the run ends as RefreshFailed. */
function hasFailed({ state, from }: PlannedEnd): boolean {
  return state === 'fresh' && (from?.finalState === 'empty' || from?.finalState === 'failed');
}

/** When the work ended, or a time in the future: only an answer from after that time shows its result. */
function settledAtMs({ state, from }: PlannedEnd): number {
  return state === 'fresh' && from !== undefined ? (from.settledAtMs ?? from.openedAtMs) : AFTER_ALL_ANSWERS_MS;
}

export async function planSummarizeCase(
  _planner: Planner,
  bill: Bill,
  { cnj, maxAgeMs }: FlowSettings<'summarizeCase'>,
): Promise<void> {
  const reuse = present({ maxAgeMs });
  const params = { cnj };
  const request = await bill.add({ step: 'requestSummary', operation: 'requestSummary', params, ...reuse });
  if (hasFailed(request)) bill.end();
  const notBeforeMs = settledAtMs(request);
  await bill.add({
    step: 'getSummary',
    operation: 'getSummary',
    params,
    ...reuse,
    notBeforeMs,
    sentNotBeforeMs: notBeforeMs,
  });
}

export async function planReadCase(planner: Planner, bill: Bill, settings: FlowSettings<'readCase'>): Promise<void> {
  const { account, cnj, include, maxPages, maxAgeMs, relist, once } = settings;
  if (include.includes('documents')) {
    const list = { account, workflowType: 'readCase', step: 'listPublicDocuments/1', ...present({ once }) };
    await endUnlessRefreshed(planner, bill, { account, cnj, list });
  }
  const reuse = present({ maxAgeMs });
  for (const part of include) {
    switch (part) {
      case 'cover':
      case 'summary': {
        const operation = part === 'cover' ? 'getCase' : 'getSummary';
        await bill.add({ step: operation, operation, params: { cnj }, ...reuse });
        break;
      }
      case 'movements': {
        const call = describeOrEnd(planner, bill, { account, operation: 'listMovements', params: { cnj } });
        if (call !== undefined) {
          await walkAhead(planner, bill, { account, call, maxPages, reuse, step: 'listMovements' });
        }
        break;
      }
      case 'documents':
        // A stored list has old links: `relist` pays for fresh ones.
        await documentsAhead(planner, bill, {
          account,
          cnj,
          maxPages,
          notBeforeMs: 0,
          maxAgeMs: relist ? undefined : maxAgeMs,
        });
        break;
    }
  }
}
