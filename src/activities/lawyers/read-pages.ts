/**
 * Reads a chunk of the free pages of a complete collection. Each page follows the link of the previous one, must be of the same
 * version, and is staged before the next is requested. The heartbeat has the cursor: after a crash the next attempt goes on
 * there.
 */
import { createHash } from 'node:crypto';
import {
  buildRequest,
  present,
  readLawyerCases,
  readPage,
  type LawyerCases,
  type ServiceRequest,
} from '../../contract/index.js';
import { sendFree, statusOf, type Judgement } from '../../http/index.js';
import type {
  LawyerCursor,
  ReadLawyerPagesInput,
  ReadLawyerPagesResult,
  UnexpectedRead,
} from '../../protocol/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { chargedBefore } from '../free/collect-charges.js';
import { respectThrottle } from '../free/throttle.js';
import { waitOutRequest, type ReadDeps } from '../polling/wait-out-pending.js';
import { targetProblem } from '../charged/call-problem.js';
import { isLaterPage, isOfLawyer, stepInList, type Step } from '../readings/lawyer-page.js';
import { notYet } from '../to-failure.js';

/** The position in a chunk. `requestId`: the page was answered 202; `unexpected`: the 202 reported a charge. */
export type PageCursor = LawyerCursor & {
  readonly pages: number;
  readonly requestId?: string;
  readonly unexpected?: UnexpectedRead;
};

interface PageFacts {
  readonly unexpected?: UnexpectedRead;
  readonly status: number;
}

type PageRead = PageFacts &
  (
    | { readonly kind: 'read'; readonly judgement: Judgement }
    /** `isRunning`: its request can be polled again. */
    | { readonly kind: 'not ready'; readonly isRunning: boolean }
  );

interface ChunkContext {
  readonly heartbeat: (cursor: PageCursor) => void;
  /** The position of an earlier attempt of this chunk. */
  readonly resume: PageCursor | undefined;
  readonly signal: AbortSignal;
  /** Of this chunk, from 1. */
  readonly attempt: number;
  /** Identifies the chunk, whatever its attempt. */
  readonly activity?: string;
}

/** One page of a chunk, and how many came before it. */
interface PlaceInChunk {
  readonly account: AccountDeps;
  readonly input: ReadLawyerPagesInput;
  readonly context: ChunkContext;
  readonly at: PageCursor;
}

type Deps = ReadDeps & Pick<ActivityDeps, 'lawyers'>;

const OPERATION = 'listLawyerCases' as const;
const PAGES_PER_CHUNK = 50;
const CHUNK_MS = 30_000;
const PAGE_TOTAL_MS = 30_000;
const AGAIN_AFTER_MS = 5_000;
const MOST_ATTEMPTS = 720;
const NOT_FOUND = 404;
const STUCK = { isStuck: true } as const;
/** A collection with more pages than this is a loop whose pages keep changing. */
const MAX_PAGE = 20_000;

export async function readLawyerPages(
  deps: Deps,
  input: ReadLawyerPagesInput,
  context: ChunkContext,
): Promise<ReadLawyerPagesResult> {
  const account = deps.accounts.get(input.account);
  if (account === undefined) {
    // Page 1 is paid: a worker with another or an older configuration must not end the import.
    const reason = `account "${input.account}" is not configured on this worker`;
    return refusedUnlessEarly(context, reason, { pages: 0, status: 0 });
  }
  const endsAtMs = deps.clock.monotonicMs() + CHUNK_MS;
  const from = context.resume ?? input.cursor;
  let cursor: LawyerCursor = { page: from.page, target: from.target };
  if (!isBehindTheFirst(deps, { ...input, cursor })) return { kind: 'elsewhere', pages: 0, page: cursor.page };
  let pages = context.resume?.pages ?? 0;
  // The page of a charge that its attempt could not report is not known, so it may be the next one: a person is asked.
  const [charged] =
    from === context.resume && context.resume.unexpected !== undefined
      ? []
      : await chargedBefore(deps, input.reader.workflowId, context);
  if (charged !== undefined) return { kind: 'charged', pages, unexpected: charged, at: cursor };
  while (pages < PAGES_PER_CHUNK && (pages === 0 || deps.clock.monotonicMs() < endsAtMs)) {
    context.signal.throwIfAborted();
    await respectThrottle(deps, account.name);
    if (cursor.page > MAX_PAGE) return { kind: 'loop', pages, page: cursor.page };
    const end = await readAndStage(deps, { account, input, context, at: { ...cursor, pages } });
    if (end.kind === 'charged' && end.cursor === undefined) return { ...end, at: cursor };
    if (end.kind !== 'next') return end;
    pages += 1;
    cursor = end.cursor;
    context.heartbeat({ ...cursor, pages });
  }
  return { kind: 'more', pages, cursor };
}

type UsablePage = { readonly request: ServiceRequest; readonly list: LawyerCases; readonly body: unknown };
type PageEnd = ReadLawyerPagesResult | { readonly kind: 'next'; readonly cursor: LawyerCursor };

/** Reads and stages one page. Returns the end of the chunk, or where the next page is. */
async function readAndStage(deps: Deps, place: PlaceInChunk): Promise<PageEnd> {
  const { account, input, context, at } = place;
  const { page, target, pages } = at;
  const operation = deps.catalogue.operationOf(OPERATION);
  const request =
    target === null
      ? buildRequest(operation, { params: { ...input.params, page }, flags: [] }, deps.gaps)
      : { operation: OPERATION, method: 'GET' as const, target };
  const read = await requestPage(deps, { ...place, request });
  const { unexpected, status } = read;
  if (read.kind === 'not ready') {
    // A charged page that did not come is reported: another try might be charged too.
    const isLast = !read.isRunning || context.attempt > MOST_ATTEMPTS;
    if (unexpected !== undefined && isLast) return { kind: 'charged', pages, unexpected };
    return refusedUnlessEarly(context, 'a page of the list is not ready yet', { pages, status });
  }
  const { judgement } = read;
  if (judgement.outcome === 'REJECTED' && status !== 429) {
    return unexpected === undefined ? { kind: 'refused', pages, status } : { kind: 'charged', pages, unexpected };
  }
  const body = judgement.outcome === 'DONE' ? judgement.body : undefined;
  const list = readLawyerCases(body, deps.gaps);
  if (list !== undefined && isOfVersion(list, input.version)) {
    return stagePage(deps, { ...place, request, list, body }, unexpected);
  }
  if (unexpected !== undefined) return { kind: 'charged', pages, unexpected, ...(list === undefined ? {} : STUCK) };
  if (list === undefined) return refusedUnlessEarly(context, 'a page of the list could not be read', { pages, status });
  const { start } = input;
  const ended = start === undefined ? undefined : await deps.lawyers.endOf({ account: account.name, start });
  return { kind: 'version moved', pages, ...present({ ended }) };
}

/** Stages a usable page, even one that was charged: the flow can then go on with the next page. */
async function stagePage(
  deps: Deps,
  { account, input, at, request, list, body }: PlaceInChunk & UsablePage,
  unexpected: UnexpectedRead | undefined,
): Promise<PageEnd> {
  const { page, pages } = at;
  const targetHash = createHash('sha256').update(request.target).digest('hex');
  const staged = await deps.lawyers.stage(input.setId, { targetHash, page, records: list.records });
  if (staged.kind === 'repeated') {
    return unexpected === undefined ? { kind: 'loop', pages, page } : { kind: 'charged', pages, unexpected, ...STUCK };
  }
  const stagedPages = pages + 1;
  const shown = { target: request.target, baseUrl: account.baseUrl, page, listed: list.records.length };
  const asked = { operation: deps.catalogue.operationOf(OPERATION), params: input.params, gaps: deps.gaps };
  const step = stepInList(readPage(body, shown).next, shown, asked);
  const cursor = cursorOf(step, page);
  if (unexpected !== undefined) {
    return { kind: 'charged', pages: stagedPages, unexpected, ...(cursor === undefined ? STUCK : { cursor }) };
  }
  if (cursor === undefined) return { kind: step.kind === 'elsewhere' ? step.kind : 'loop', pages: stagedPages, page };
  return cursor === null ? { kind: 'end', pages: stagedPages } : { kind: 'next', cursor };
}

/** A page that does not come is requested again for at least an hour; then a person has to look. */
function refusedUnlessEarly(
  { attempt }: ChunkContext,
  reason: string,
  at: { readonly pages: number; readonly status: number },
): ReadLawyerPagesResult {
  if (attempt <= MOST_ATTEMPTS) throw notYet(reason, AGAIN_AFTER_MS);
  return { kind: 'refused', ...at };
}

/**
 * A page without a version counts as unmoved, a page of a list that still grows as moved (docs/decisions/0076). A list that is
 * called both complete and partial is complete, as on page 1: otherwise page 1 would be bought again and again.
 */
function isOfVersion({ coverage }: LawyerCases, version: string | null): boolean {
  const isGrowing = coverage.partial === true && coverage.complete !== true;
  return !isGrowing && (coverage.version === version || [coverage.version, version].includes(null));
}

/** Requests one page, and waits for it if the service answers 202. */
async function requestPage(
  deps: ReadDeps,
  place: PlaceInChunk & { readonly request: ServiceRequest },
): Promise<PageRead> {
  const { account, request, input, context, at } = place;
  const { signal, resume } = context;
  const resumed = resume?.page === at.page && resume.target === at.target ? resume : undefined;
  const charged = present({ unexpected: resumed?.unexpected });
  if (resumed?.requestId !== undefined) {
    return waitOutPage(deps, place, { ...charged, requestId: resumed.requestId, hintMs: null, status: 0 });
  }
  const asked = { account, operation: OPERATION, signal, reader: input.reader };
  const { judgement, exchange, unexpected } = await sendFree(deps, { ...asked, request, totalMs: PAGE_TOTAL_MS });
  const status = statusOf(exchange) ?? 0;
  const facts = { ...charged, status, ...present({ unexpected }) };
  if (judgement.outcome !== 'PENDING') return { ...facts, kind: 'read', judgement };
  const { pending, hintMs } = judgement;
  if (pending.requestId === undefined) return { ...facts, kind: 'not ready', isRunning: false };
  return waitOutPage(deps, place, { ...facts, requestId: pending.requestId, hintMs });
}

/** A page that takes longer than this attempt is not requested again: the next attempt polls the request id in the heartbeat. */
async function waitOutPage(
  deps: ReadDeps,
  { account, input, context, at }: PlaceInChunk,
  work: PageFacts & { readonly requestId: string; readonly hintMs: number | null },
): Promise<PageRead> {
  const { signal, heartbeat } = context;
  const { requestId, hintMs, ...facts } = work;
  const charged = present({ unexpected: facts.unexpected });
  heartbeat({ ...at, ...charged, requestId });
  const isBooked = facts.unexpected !== undefined;
  const waiting = { account, operation: OPERATION, signal, reader: input.reader, isBooked };
  const waited = await waitOutRequest(deps, waiting, { requestId, hintMs });
  const { unexpected = facts.unexpected } = waited;
  const told = present({ unexpected });
  if (waited.kind === 'running') {
    heartbeat({ ...at, ...told, requestId });
    return { ...facts, ...told, kind: 'not ready', isRunning: true };
  }
  heartbeat({ ...at, ...told });
  if (waited.kind === 'gone') return { ...facts, ...told, kind: 'not ready', isRunning: false };
  const { judgement, exchange } = waited;
  const status = statusOf(exchange) ?? 0;
  // The 404 may be about the request and not about the page. The page is free: a new request of it will tell.
  if (status === NOT_FOUND && unexpected === undefined) return { ...facts, kind: 'not ready', isRunning: false };
  return { kind: 'read', judgement, status, ...present({ unexpected }) };
}

/** Whether the cursor asks for a page of this very list that is provably free. */
function isBehindTheFirst(
  deps: ReadDeps,
  { params, cursor: { page, target } }: Pick<ReadLawyerPagesInput, 'params' | 'cursor'>,
): boolean {
  if (target === null) return Number.isSafeInteger(page) && page > 1;
  const operation = deps.catalogue.operationOf(OPERATION);
  if (!isLaterPage(operation, target) || !isOfLawyer(target, { params, gaps: deps.gaps })) return false;
  return targetProblem(deps, operation, { params, target }) === undefined;
}

/** Where the page after `page` is; null after the last one. Undefined if its link leaves the list, or leads back. */
function cursorOf(step: Step, page: number): LawyerCursor | null | undefined {
  switch (step.kind) {
    case 'link':
      return { page: page + 1, target: step.target };
    case 'page':
      return { page: step.page, target: null };
    case 'end':
      return null;
    case 'elsewhere':
    case 'refused':
      return undefined;
  }
}
