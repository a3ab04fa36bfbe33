/**
 * Pages of a list, as far as answers that are paid show them: each one names the next. Behind the first page that has to be
 * bought, only the most that may be bought is known.
 */
import { readStored } from '../../activities/index.js';
import { ledgerParams } from '../../ledger/index.js';
import {
  argumentsOfPage,
  nextByTotal,
  type DescribedCall,
  type FollowingPage,
  type OpenedCollection,
} from '../../protocol/index.js';
import { present } from '../../contract/index.js';
import type { Bill, PlannedCall } from '../bill.js';
import type { Planner } from '../deps.js';

interface PagesAhead {
  readonly account: string;
  readonly call: DescribedCall;
  /** Steps are named `<step>/<page or hash of its cursor>`. */
  readonly step: string;
  readonly maxPages: number;
  readonly reuse: OpenedCollection;
}

/** How many pages are paid from the first on, and whether the list ends with them. */
export interface PaidPages {
  readonly pages: number;
  readonly isWhole: boolean;
}

export async function walkAhead(planner: Planner, bill: Bill, walk: PagesAhead): Promise<PaidPages> {
  const { call, step, maxPages, reuse } = walk;
  const { operation, flags } = call;
  const seen = new Set<string>();
  let following: FollowingPage | undefined;
  let items = 0;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const key = following?.key ?? '1';
    if (seen.has(key)) return { pages, isWhole: true };
    seen.add(key);
    const asked = argumentsOfPage(call, following);
    const page: PlannedCall = { step: `${step}/${key}`, operation, flags, params: ledgerParams(asked), ...reuse };
    const { state, from } = await bill.add(page);
    if (state === 'free') continue;
    const reading =
      state === 'fresh' && from !== undefined
        ? await readStored(planner, 'page', {
            intentId: from.intentId,
            operation,
            ...asked,
            baseUrl: baseUrlOf(planner, walk),
          })
        : undefined;
    if (reading === undefined) {
      await bill.addSome({ ...page, step: `${step}/…` }, { least: 0, most: maxPages - pages - 1 });
      return { pages: state === 'fresh' ? pages + 1 : pages, isWhole: false };
    }
    items += reading.items;
    const next = nextByTotal(call, reading, { following, items }) ?? reading.next;
    if (!('key' in next)) return { pages: pages + 1, isWhole: true };
    following = next;
  }
  return { pages: maxPages, isWhole: true };
}

function baseUrlOf({ accounts }: Planner, { account }: Pick<PagesAhead, 'account'>): string {
  return accounts.get(account)?.baseUrl ?? '';
}

interface DocumentsAhead {
  readonly account: string;
  readonly cnj: string;
  readonly maxPages: number;
  readonly maxAgeMs: number | undefined;
  /** No list that was paid for before shows the refresh. */
  readonly notBeforeMs: number;
  /** Nor does one that was sent before; absent where it need not. */
  readonly sentNotBeforeMs?: number;
}

/** The list of public documents goes by number. */
export async function documentsAhead(planner: Planner, bill: Bill, list: DocumentsAhead): Promise<void> {
  const { cnj, maxPages } = list;
  let unsure = false;
  for (let number = 1; number <= maxPages; number += 1) {
    const page = documentsPage(list, number);
    const { state, from } = await bill.add(page, unsure ? 'maybe' : undefined);
    if (state !== 'fresh' || from === undefined) {
      await bill.addSome({ ...page, step: 'listPublicDocuments/…' }, { least: 0, most: maxPages - number });
      return;
    }
    const params = { cnj, page: number };
    const read = { intentId: from.intentId, operation: page.operation, params, baseUrl: baseUrlOf(planner, list) };
    const reading = await readStored(planner, 'documents', read);
    if (reading?.hasMore === false) return;
    unsure = reading?.unsaid !== undefined || reading === undefined;
  }
}

export function documentsPage(
  { cnj, maxAgeMs, notBeforeMs, sentNotBeforeMs }: Omit<DocumentsAhead, 'account' | 'maxPages'>,
  page: number,
): PlannedCall {
  const step = `listPublicDocuments/${page}`;
  const limits = { notBeforeMs, ...present({ maxAgeMs, sentNotBeforeMs }) };
  return { step, operation: 'listPublicDocuments', params: { cnj, page }, ...limits };
}
