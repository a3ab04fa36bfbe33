/**
 * All pages of a listing of monitors (presumed free), by the interface's own page numbers. A listing that repeats itself or
 * never ends is cut, and says so: an incomplete listing proves the absence of nothing.
 */
import {
  buildRequest,
  readNoticeMonitors,
  readPage,
  readRadars,
  type NextPage,
  type NoticeMonitor,
  type Radar,
} from '../../contract/index.js';
import type { UnexpectedRead } from '../../protocol/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { readFree, type FreeRead } from '../../http/index.js';
import { throttled } from '../free/throttle.js';
import { notYet } from '../to-failure.js';
import { waitOutPending } from '../polling/wait-out-pending.js';

const MAX_PAGES = 200;
const PAGE_SIZE = 100;
const AGAIN_MS = 10_000;
const TOTAL_MS = 20_000;
/** Less than an attempt of a free activity (60 s): one cut by it would begin at page 1 for ever. */
const READ_WITHIN_MS = 40_000;
/** From this attempt on, a listing that cannot be used is refused: it is not an outage that passes. */
export const PATIENT_ATTEMPTS = 5;
/** Links are not followed here, so no origin is needed to judge them by. */
const NO_ORIGIN = 'https://service.invalid';

export type ListingRead<M> = (
  | { readonly kind: 'listed'; readonly monitors: readonly M[]; readonly complete: boolean }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
) & {
  /** It has charged, although it should be free: it ended there, and is not read again for the account. */
  readonly unexpected?: UnexpectedRead;
};

export interface ListingAsked {
  readonly account: AccountDeps;
  readonly signal: AbortSignal;
  readonly reader: FreeRead['reader'];
  /** From 1. */
  readonly attempt: number;
  /** No page is begun after it; default 40 s. */
  readonly readWithinMs?: number;
}

export function readNoticeMonitorListing(deps: ActivityDeps, asked: ListingAsked): Promise<ListingRead<NoticeMonitor>> {
  return readListing(deps, { ...asked, operation: 'listNoticeMonitors' }, (body) => readNoticeMonitors(body)?.monitors);
}

export function readRadarListing(deps: ActivityDeps, asked: ListingAsked): Promise<ListingRead<Radar>> {
  return readListing(deps, { ...asked, operation: 'listRadars' }, (body) => readRadars(body)?.monitors);
}

async function readListing<M extends { readonly id: string | null }>(
  deps: ActivityDeps,
  {
    account,
    operation: id,
    signal,
    reader,
    attempt,
    readWithinMs = READ_WITHIN_MS,
  }: ListingAsked & { readonly operation: 'listNoticeMonitors' | 'listRadars' },
  read: (body: unknown) => readonly M[] | undefined,
): Promise<ListingRead<M>> {
  const operation = deps.catalogue.operationOf(id);
  const monitors: M[] = [];
  const seen = new Set<string>();
  const untilMs = deps.clock.nowMs() + readWithinMs;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    signal.throwIfAborted();
    const params = { page, limit: PAGE_SIZE };
    const answer = await readFree(deps, { ...{ account, operation: id, params, signal, reader }, totalMs: TOTAL_MS });
    if (answer.kind === 'throttled') throw throttled(deps, answer.untilMs);
    if (answer.kind === 'barred') return { kind: 'refused', status: 0, reason: 'not read: it has charged before' };
    const { exchange } = answer;
    const waiting = { account, operation: id, signal, reader, isBooked: answer.unexpected !== undefined };
    const waited = await waitOutPending(deps, waiting, answer.judgement);
    const judgement = waited?.judgement;
    const unexpected = answer.unexpected ?? waited?.unexpected;
    if (judgement?.outcome === 'REJECTED' && exchange.kind === 'answer' && exchange.head.status !== 429) {
      return { kind: 'refused', status: exchange.head.status, reason: judgement.error.reason ?? 'no reason given' };
    }
    if (judgement?.outcome !== 'DONE') throw notYet(`${id} gave no listing`, AGAIN_MS);
    const items = read(judgement.body);
    if (items === undefined) {
      if (attempt < PATIENT_ATTEMPTS) throw notYet(`the answer of ${id} holds no list of monitors`, AGAIN_MS);
      return { kind: 'refused', status: answer.status, reason: 'its answer holds no list of monitors' };
    }
    const fresh = items.filter((item) => item.id === null || !seen.has(item.id));
    for (const { id: key } of fresh) if (key !== null) seen.add(key);
    monitors.push(...fresh);
    const { target } = buildRequest(operation, { params, flags: [] }, deps.gaps);
    const context = { target, baseUrl: NO_ORIGIN, page, listed: items.length };
    const complete = isLast(readPage(judgement.body, context).next, items.length);
    if (unexpected !== undefined) return { kind: 'listed', monitors, complete, unexpected };
    if (complete) return { kind: 'listed', monitors, complete };
    if (fresh.length === 0 || deps.clock.nowMs() >= untilMs) break;
  }
  return { kind: 'listed', monitors, complete: false };
}

function isLast(next: NextPage, listed: number): boolean {
  return next.kind === 'end' || listed === 0 || (next.kind === 'unsaid' && listed < PAGE_SIZE);
}
