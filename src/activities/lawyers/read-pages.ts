/**
 * A chunk of the free pages of a complete collection: each follows the link of the one before, must be of the same version,
 * and is staged before the next is asked for. The heartbeat has the cursor, so a killed worker goes on where it stopped.
 */
import { createHash } from 'node:crypto';
import {
  buildRequest,
  present,
  readLawyerCases,
  readPage,
  type Gaps,
  type LawyerCases,
  type NextPage,
  type Operation,
  type Parameters,
  type ServiceRequest,
} from '../../contract/index.js';
import { sendFree, type Judgement } from '../../http/index.js';
import type {
  LawyerCursor,
  ReadLawyerPagesInput,
  ReadLawyerPagesResult,
  UnexpectedRead,
} from '../../protocol/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { respectThrottle } from '../free/throttle.js';
import { waitOutRequest, type ReadDeps } from '../polling/wait-out-pending.js';
import { targetProblem } from '../charged/call-problem.js';
import { isLaterPage, isOfLawyer } from '../readings/lawyer-page.js';
import { notYet } from '../to-failure.js';

/** Where a chunk has come to; `requestId` where that page was answered 202, `unexpected` where that reported a charge. */
export type PageCursor = LawyerCursor & {
  readonly pages: number;
  readonly requestId?: string;
  readonly unexpected?: UnexpectedRead;
};

type PageRead = { readonly unexpected?: UnexpectedRead; readonly status: number } & (
  | { readonly kind: 'read'; readonly judgement: Judgement }
  /** `isRunning`: its request can be asked for again. */
  | { readonly kind: 'not ready'; readonly isRunning: boolean }
);

interface ChunkContext {
  readonly heartbeat: (cursor: PageCursor) => void;
  /** Where an earlier attempt of this chunk had come to. */
  readonly resume: PageCursor | undefined;
  readonly signal: AbortSignal;
  /** Of this chunk, from 1. */
  readonly attempt: number;
}

const PAGES_PER_CHUNK = 50;
const CHUNK_MS = 30_000;
const PAGE_TOTAL_MS = 30_000;
const AGAIN_AFTER_MS = 5_000;
/** An hour and more of a page that cannot be read: then a person looks. */
const MOST_ATTEMPTS = 720;
/** A collection of more pages than this is a loop that changes its face. */
const MAX_PAGE = 20_000;

export async function readLawyerPages(
  deps: ReadDeps & Pick<ActivityDeps, 'lawyers'>,
  input: ReadLawyerPagesInput,
  context: ChunkContext,
): Promise<ReadLawyerPagesResult> {
  const account = deps.accounts.get(input.account);
  if (account === undefined) {
    // Page 1 is paid: a worker with another configuration, or an older one, ends nothing.
    if (context.attempt > MOST_ATTEMPTS) return { kind: 'refused', pages: 0, status: 0 };
    throw notYet(`account "${input.account}" is not configured on this worker`, AGAIN_AFTER_MS);
  }
  const operation = deps.catalogue.operationOf('listLawyerCases');
  const endsAtMs = deps.clock.monotonicMs() + CHUNK_MS;
  const from = context.resume ?? input.cursor;
  let cursor: LawyerCursor = { page: from.page, target: from.target };
  if (!isBehindTheFirst(deps, operation, { ...input, cursor }))
    return { kind: 'elsewhere', pages: 0, page: cursor.page };
  let pages = context.resume?.pages ?? 0;
  while (pages < PAGES_PER_CHUNK && (pages === 0 || deps.clock.monotonicMs() < endsAtMs)) {
    context.signal.throwIfAborted();
    await respectThrottle(deps, account.name);
    if (cursor.page > MAX_PAGE) return { kind: 'loop', pages, page: cursor.page };
    const request =
      cursor.target === null
        ? buildRequest(operation, { params: { ...input.params, page: cursor.page }, flags: [] }, deps.gaps)
        : { method: 'GET' as const, target: cursor.target };
    const read = await readPageOf(deps, { account, request, input, context, at: { ...cursor, pages } });
    const { unexpected } = read;
    if (read.kind === 'not ready') {
      // What was charged and did not come is reported: a second try might be charged too.
      if (unexpected !== undefined && !read.isRunning) return { kind: 'charged', pages, unexpected };
      if (context.attempt > MOST_ATTEMPTS) return { kind: 'refused', pages, status: read.status };
      throw notYet('a page of the list is not ready yet', AGAIN_AFTER_MS);
    }
    const { judgement, status } = read;
    if (judgement.outcome === 'REJECTED' && status !== 429) return { kind: 'refused', pages, status };
    const list = judgement.outcome === 'DONE' ? readLawyerCases(judgement.body, deps.gaps) : undefined;
    const isUsable = list !== undefined && isOfVersion(list, input.version);
    if (!isUsable && unexpected !== undefined) return { kind: 'charged', pages, unexpected };
    if (list === undefined || judgement.outcome !== 'DONE') {
      if (context.attempt > MOST_ATTEMPTS) return { kind: 'refused', pages, status };
      throw notYet('a page of the list could not be read', AGAIN_AFTER_MS);
    }
    if (!isUsable) {
      const { account: name, start } = input;
      const ended = start === undefined ? undefined : await deps.lawyers.endOf({ account: name, start });
      return { kind: 'version moved', pages, ...present({ ended }) };
    }
    const staged = await deps.lawyers.stage(input.setId, {
      targetHash: createHash('sha256').update(request.target).digest('hex'),
      page: cursor.page,
      records: list.records,
    });
    if (staged.kind === 'repeated') {
      return unexpected === undefined
        ? { kind: 'loop', pages, page: cursor.page }
        : { kind: 'charged', pages, unexpected };
    }
    pages += 1;
    const shown = { target: request.target, baseUrl: account.baseUrl, page: cursor.page, listed: list.records.length };
    const { next: found } = readPage(judgement.body, shown);
    const next = cursorOf(found, cursor, { operation, params: input.params, gaps: deps.gaps });
    if (next === 'loop' || next === 'elsewhere') {
      if (unexpected !== undefined) return { kind: 'charged', pages, unexpected };
      return { kind: next, pages, page: cursor.page };
    }
    // What was paid for is staged: going on reads the page behind it.
    if (unexpected !== undefined) return { kind: 'charged', pages, unexpected, cursor: next ?? null };
    if (next === undefined) return { kind: 'end', pages };
    cursor = next;
    context.heartbeat({ ...cursor, pages });
  }
  return { kind: 'more', pages, cursor };
}

/** A page without a version has not moved (docs/decisions/0076). */
function isOfVersion({ coverage }: LawyerCases, version: string | null): boolean {
  return coverage.version === version || ([coverage.version, version].includes(null) && coverage.partial !== true);
}

/**
 * One page, also where it is answered 202. Work that takes longer than an attempt is not asked for again: the heartbeat has its
 * request id, and the next attempt polls it.
 */
async function readPageOf(
  deps: ReadDeps,
  page: {
    readonly account: AccountDeps;
    readonly request: ServiceRequest;
    readonly input: ReadLawyerPagesInput;
    readonly context: ChunkContext;
    readonly at: PageCursor;
  },
): Promise<PageRead> {
  const { account, request, input, context, at } = page;
  const { signal, heartbeat, resume } = context;
  const asked = { account, operation: 'listLawyerCases' as const, signal, reader: input.reader };
  const resumed = resume?.page === at.page && resume.target === at.target ? resume : undefined;
  const read =
    resumed?.requestId === undefined ? await sendFree(deps, { ...asked, request, totalMs: PAGE_TOTAL_MS }) : undefined;
  const earlier = read?.unexpected ?? resumed?.unexpected;
  const facts = { status: read?.status ?? 0, ...present({ unexpected: earlier }) };
  if (read !== undefined && read.judgement.outcome !== 'PENDING') {
    return { ...facts, kind: 'read', judgement: read.judgement };
  }
  const first = read?.judgement.outcome === 'PENDING' ? read.judgement : undefined;
  const requestId = resumed?.requestId ?? first?.pending.requestId;
  const charged = present({ unexpected: earlier });
  if (requestId === undefined) return { ...facts, kind: 'not ready', isRunning: false };
  heartbeat({ ...at, ...charged, requestId });
  const waiting = { ...asked, isBooked: earlier !== undefined };
  const waited = await waitOutRequest(deps, waiting, { requestId, hintMs: first?.hintMs ?? null });
  if (waited.kind === 'running') return { ...facts, kind: 'not ready', isRunning: true };
  heartbeat({ ...at, ...charged });
  if (waited.kind === 'gone') return { ...facts, kind: 'not ready', isRunning: false };
  const { judgement, status, unexpected = earlier } = waited;
  return { kind: 'read', judgement, status, ...present({ unexpected }) };
}

/** Only a page of this very list that provably costs nothing is asked for. */
function isBehindTheFirst(
  deps: ReadDeps,
  operation: Operation<string>,
  { params, cursor: { page, target } }: Pick<ReadLawyerPagesInput, 'params' | 'cursor'>,
): boolean {
  if (target === null) return Number.isSafeInteger(page) && page > 1;
  if (!isLaterPage(operation, target) || !isOfLawyer(target, { params, gaps: deps.gaps })) return false;
  return targetProblem(deps, operation, { params, target }) === undefined;
}

/** Undefined: the last page. `elsewhere`: the link leaves the list. `loop`: it must not be followed, or leads back. */
function cursorOf(
  next: NextPage,
  { page }: LawyerCursor,
  list: { readonly operation: Operation<string>; readonly params: Parameters; readonly gaps: Gaps },
): LawyerCursor | 'elsewhere' | 'loop' | undefined {
  switch (next.kind) {
    case 'link': {
      const { target } = next;
      if (!isLaterPage(list.operation, target)) return 'loop';
      return isOfLawyer(target, list) ? { page: page + 1, target } : 'elsewhere';
    }
    case 'page':
      return next.page > 1 ? { page: next.page, target: null } : 'loop';
    case 'refused':
      return 'loop';
    default:
      return undefined;
  }
}
