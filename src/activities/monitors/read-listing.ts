/**
 * Reads all pages of a listing of monitors (presumed free), by the interface's own page numbers. A listing that repeats itself
 * or never ends is cut and counts as incomplete: it proves of no monitor that it does not exist. If the answers say nothing
 * about pages, a short page is no end, because the service may cap `limit`. The end is then a page that is empty, that does not
 * exist, or that brings nothing new. If they report a total, the listing is complete only when so many monitors have come,
 * whatever they say about pages.
 */
import {
  buildRequest,
  present,
  readNoticeMonitors,
  readPage,
  readRadars,
  type NextPage,
  type NoticeMonitor,
  type Radar,
} from '../../contract/index.js';
import type { ListingRefused, UnexpectedRead } from '../../protocol/index.js';
import type { AccountDeps } from '../deps.js';
import { statusOf, type FreeAnswer, type FreeRead } from '../../http/index.js';
import { chargedBefore } from '../free/collect-charges.js';
import { throttled } from '../free/throttle.js';
import { notYet } from '../to-failure.js';
import { readToEnd, type ReadDeps } from '../polling/wait-out-pending.js';

const MAX_PAGES = 200;
const PAGE_SIZE = 100;
const AGAIN_MS = 10_000;
const TOTAL_MS = 20_000;
/** With the last page less than an attempt of a free activity (60 s): one that times out would begin at page 1 again, forever. */
const READ_WITHIN_MS = 35_000;
/** From this attempt on, a listing that is throttled or cannot be used is refused. */
export const PATIENT_ATTEMPTS = 5;
/** An outage is waited out for at least half an hour. */
const AWAY_ATTEMPTS = (30 * 60_000) / AGAIN_MS;
/** Links are not followed here, so no origin is needed to judge them by. */
const NO_ORIGIN = 'https://service.invalid';

interface Charge {
  /** The listing was charged although it should be free: reading ended there. Flows of the account read it no more for 30 days. */
  readonly unexpected?: UnexpectedRead;
}

export type ListingRead<M> = Charge &
  ({ readonly kind: 'listed'; readonly monitors: readonly M[]; readonly complete: boolean } | ListingRefused);

export interface ListingAsked {
  readonly account: AccountDeps;
  readonly signal: AbortSignal;
  readonly reader: FreeRead['reader'];
  /** From 1. */
  readonly attempt: number;
  /** The charges of its earlier attempts are found by it. */
  readonly activity?: string;
  /** No further page is requested after this time, ms; default 35 s. */
  readonly readWithinMs?: number;
  /** Another listing was charged in this attempt; a further attempt would forget the charge. */
  readonly hasCharged?: boolean;
}

const BARRED =
  'reading it should be free but was charged in the last 30 days, so no flow reads it on its own until 30 days after that charge; callOperation still reads it, and creates or changes monitors, each at its price';

type Asked = ListingAsked & { readonly operation: 'listNoticeMonitors' | 'listRadars' };
type PageAnswer = Extract<FreeAnswer, { kind: 'read' }>;

export function readNoticeMonitorListing(deps: ReadDeps, asked: ListingAsked): Promise<ListingRead<NoticeMonitor>> {
  return readListing(
    deps,
    { ...asked, operation: 'listNoticeMonitors' },
    (body) => readNoticeMonitors(body, 'listing')?.monitors,
  );
}

export function readRadarListing(deps: ReadDeps, asked: ListingAsked): Promise<ListingRead<Radar>> {
  return readListing(deps, { ...asked, operation: 'listRadars' }, (body) => readRadars(body, 'listing')?.monitors);
}

async function readListing<M extends NoticeMonitor | Radar>(
  deps: ReadDeps,
  asked: Asked,
  itemsIn: (body: unknown) => readonly M[] | undefined,
): Promise<ListingRead<M>> {
  const { account, operation, signal, reader, readWithinMs = READ_WITHIN_MS } = asked;
  const monitors: M[] = [];
  const seen = new Set<string>();
  const untilMs = deps.clock.nowMs() + readWithinMs;
  /** The page to read next is a guess: no answer has said that it exists. */
  let isPageGuessed = false;
  /** The largest total that an answer has reported. */
  let total = 0;
  let limit: number | undefined = PAGE_SIZE;
  let charge: Charge = {};
  let page = 1;
  const listed = (complete: boolean): ListingRead<M> => ({ kind: 'listed', monitors, complete, ...charge });
  while (page <= MAX_PAGES) {
    signal.throwIfAborted();
    const params = { page, ...present({ limit }) };
    const withinMs = untilMs + TOTAL_MS - deps.clock.nowMs();
    const answer = await readToEnd(deps, { account, operation, params, signal, reader, totalMs: TOTAL_MS, withinMs });
    if (answer.kind === 'barred') {
      const before = charge.unexpected ?? (await chargedBefore(deps, reader.workflowId, asked)).find(isOf(operation));
      return { kind: 'refused', status: 0, reason: BARRED, ...present({ unexpected: before }) };
    }
    if (answer.kind === 'throttled') {
      if (mayAskAgain(asked, Infinity, charge)) throw throttled(deps, answer.untilMs);
      return { kind: 'refused', status: 0, reason: 'the service asked the account to wait', isAway: true, ...charge };
    }
    if (answer.unexpected !== undefined) charge = { unexpected: answer.unexpected };
    if (page === 1 && limit !== undefined && refusesPageSize(answer)) {
      limit = undefined;
      continue;
    }
    if (isPageGuessed && saysNoSuchPage(answer)) return listed(monitors.length >= total);
    const { judgement } = answer;
    if (judgement.outcome !== 'DONE') return refusedUnlessEarly(asked, answer);
    const items = itemsIn(judgement.body);
    if (items === undefined) return withoutList(asked, answer, charge);
    const fresh = items.filter((item) => !seen.has(keyOf(item)));
    for (const item of fresh) seen.add(keyOf(item));
    monitors.push(...fresh);

    const { target } = buildRequest(deps.catalogue.operationOf(operation), { params, flags: [] }, deps.gaps);
    const shown = readPage(judgement.body, { target, baseUrl: NO_ORIGIN, page, listed: items.length });
    total = Math.max(total, shown.total ?? 0);
    const isWhole = monitors.length >= total;
    const isEnd = isLastPage(shown.next, { listed: items.length, fresh: fresh.length });
    if (isEnd && isWhole) return listed(true);
    isPageGuessed = isEnd || shown.next.kind === 'unsaid';
    if (charge.unexpected !== undefined) {
      // A listing that charges is not asked for a page that may not exist: a short page counts as the last one.
      const isShort = isPageGuessed && items.length < PAGE_SIZE;
      return listed(isWhole && isShort);
    }
    if (fresh.length === 0 || deps.clock.nowMs() >= untilMs) break;
    page += 1;
  }
  return listed(false);
}

function isOf(operation: string): (read: UnexpectedRead) => boolean {
  return (read) => read.operation === operation;
}

function withoutList(asked: Asked, { exchange }: PageAnswer, charge: Charge): ListingRead<never> {
  if (mayAskAgain(asked, PATIENT_ATTEMPTS, charge)) {
    throw notYet(`the answer of ${asked.operation} has no list of monitors`, AGAIN_MS);
  }
  return { kind: 'refused', status: statusOf(exchange) ?? 0, reason: 'its answer has no list of monitors', ...charge };
}

/** The interface does not show the largest `limit`, so the service may refuse ours. Pages then have its own size. */
function refusesPageSize({ exchange, judgement }: PageAnswer): boolean {
  return judgement.outcome === 'REJECTED' && exchange.kind === 'answer' && [400, 422].includes(exchange.head.status);
}

/** How the service may say that there is no such page. From a gateway such a status says nothing about pages. */
function saysNoSuchPage({ exchange, judgement }: PageAnswer): boolean {
  if (judgement.outcome !== 'REJECTED' || exchange.kind !== 'answer') return false;
  return judgement.error.fromService && [400, 404, 422].includes(exchange.head.status);
}

/** A page did not come: the service has refused it, or it is tried again until the attempts are used up. */
function refusedUnlessEarly(asked: Asked, { exchange, judgement, unexpected }: PageAnswer): ListingRead<never> {
  const status = statusOf(exchange) ?? 0;
  if (judgement.outcome === 'REJECTED' && exchange.kind === 'answer' && status !== 429) {
    const { error, aboutBalance } = judgement;
    const reason = error.reason ?? 'no reason given';
    return { kind: 'refused', status, reason, ...present({ errorCode: error.code, aboutBalance, unexpected }) };
  }
  if (mayAskAgain(asked, status === 429 ? PATIENT_ATTEMPTS : AWAY_ATTEMPTS, present({ unexpected }))) {
    throw notYet(`${asked.operation} gave no listing`, AGAIN_MS);
  }
  const errorCode = judgement.outcome === 'REJECTED' ? judgement.error.code : undefined;
  const reason = `asked ${asked.attempt === 1 ? 'once' : `${asked.attempt} times`}, and no listing was received`;
  return { kind: 'refused', status, reason, isAway: true, ...present({ errorCode, unexpected }) };
}

/** A listing that charges is not read again: another attempt would forget the charge. */
function mayAskAgain({ attempt, hasCharged = false }: Asked, attempts: number, { unexpected }: Charge): boolean {
  return attempt < attempts && unexpected === undefined && !hasCharged;
}

/** A full page without anything new is no end: it may hide what comes after it. */
function isLastPage(next: NextPage, { listed, fresh }: { readonly listed: number; readonly fresh: number }): boolean {
  return next.kind === 'end' || listed === 0 || (next.kind === 'unsaid' && fresh === 0 && listed < PAGE_SIZE);
}

function keyOf({ id, data }: { readonly id: string | null; readonly data: unknown }): string {
  return id ?? JSON.stringify(data);
}

/** What the listings have charged, for the flow that has them read; nothing where none has. */
export function chargesOf(...listings: readonly Charge[]): {
  readonly charges?: readonly UnexpectedRead[];
} {
  const charges = listings.flatMap(({ unexpected }) => (unexpected === undefined ? [] : [unexpected]));
  return charges.length === 0 ? {} : { charges };
}
