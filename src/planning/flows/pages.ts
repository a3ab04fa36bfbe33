/**
 * Walks the pages of a list through the answers that are already paid: each page names the next. After the first page that
 * must be bought, only the most pages to buy are known.
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

/** How many pages from the first on are already paid, and whether the list ends with them. */
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
    const args = argumentsOfPage(call, following);
    const page: PlannedCall = { step: `${step}/${key}`, operation, flags, params: ledgerParams(args), ...reuse };
    const { state, from } = await bill.add(page);
    if (state === 'free') continue;
    const reading =
      state === 'fresh' && from !== undefined
        ? await readStored(planner, 'page', {
            intentId: from.intentId,
            operation,
            ...args,
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
  /** An answer settled before this does not show the refresh, so it is not reused. */
  readonly notBeforeMs: number;
  /** Nor does the answer of a call that was sent before this; absent when any call will do. */
  readonly sentNotBeforeMs?: number;
}

/** Like {@link walkAhead}, for public documents, whose pages are asked for by number. */
export async function documentsAhead(planner: Planner, bill: Bill, list: DocumentsAhead): Promise<void> {
  const { cnj, maxPages } = list;
  let isMaybe = false;
  for (let number = 1; number <= maxPages; number += 1) {
    const page = documentsPage(list, number);
    const { state, from } = await bill.add(page, isMaybe ? 'maybe' : undefined);
    if (state !== 'fresh' || from === undefined) {
      await bill.addSome({ ...page, step: 'listPublicDocuments/…' }, { least: 0, most: maxPages - number });
      return;
    }
    const params = { cnj, page: number };
    const read = { intentId: from.intentId, operation: page.operation, params, baseUrl: baseUrlOf(planner, list) };
    const reading = await readStored(planner, 'documents', read);
    if (reading?.hasMore === false) return;
    isMaybe = reading?.unsaid !== undefined || reading === undefined;
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
