/**
 * How a refresh ends: by the status of its case, if that provably is about this refresh (refresh-proof.ts), else by the final
 * answer of its request. An event never ends it, but may name a request to ask for.
 */
import { present, readRefreshStatus, type RefreshStatus } from '../../contract/index.js';
import { statusOf, type Judgement } from '../../http/index.js';
import type { Settlement } from '../../ledger/index.js';
import type { AwaitFinalResult, UnexpectedRead } from '../../protocol/index.js';
import { throttled } from '../free/throttle.js';
import { LOOK_TOTAL_MS, settle, settledResult, stillPending, type Look } from './look.js';
import { askRequest, requestsOf } from './named-requests.js';
import { decideRefresh, isAheadOfService, type RefreshVerdict } from './refresh-proof.js';
import { notYet } from '../to-failure.js';
import { readToEnd } from './wait-out-pending.js';

/** The free read that shows how the refresh of a case ends. */
export const STATUS_READ = 'getRefreshStatus';

/** Time limit of one request, so that three fit into one attempt. */
const REQUEST_MS = 6_000;

interface RequestFinal {
  readonly settlement: Settlement;
  readonly refined: Pick<Settlement, 'finalState' | 'rawStatus'> | undefined;
}

/** The end of this refresh by the status of its case. Throws "not yet" if it has not ended. */
export async function lookAtStatus(look: Look, requestFinal: RequestFinal | undefined): Promise<AwaitFinalResult> {
  const seen = await readStatus(look, requestFinal);
  if (seen.kind !== 'not finished') return seen;
  if (seen.unexpected !== undefined) return { kind: 'unexpected charge', unexpected: seen.unexpected };
  throw stillPending(look, seen.hintMs, seen.word);
}

/** What a read of the status shows if it shows no end. */
interface NotFinished {
  readonly kind: 'not finished';
  /** `running`: some refresh of the case runs, or the read does. `nothing`: the answer proves nothing. `unheard`: no answer came. */
  readonly says: 'running' | 'nothing' | 'unheard';
  readonly hintMs: number | null;
  /** A status that is not one of the known words. */
  readonly word?: string;
  readonly unexpected?: UnexpectedRead;
}

/** `onlyById`: the request may still be running, so that only a status with its id proves the end. */
export async function readStatus(
  look: Look,
  requestFinal: RequestFinal | undefined,
  { onlyById = false }: { readonly onlyById?: boolean } = {},
): Promise<AwaitFinalResult | NotFinished> {
  const { deps, input, intent } = look;
  const read = await readToEnd(deps, {
    account: look.account,
    operation: STATUS_READ,
    params: { cnj: input.params['cnj'] ?? '' },
    totalMs: LOOK_TOTAL_MS,
    signal: look.signal,
    reader: look.own,
  });
  if (read.kind === 'throttled') throw throttled(deps, read.untilMs);
  if (read.kind === 'barred') return onlyById ? { kind: 'barred' } : withoutStatus(look, requestFinal);
  const { judgement, unexpected } = read;
  const charge = present({ unexpected });
  const hasEnded = requestFinal !== undefined;
  const shown =
    judgement.outcome === 'DONE'
      ? await judgeRecord(look, readRefreshStatus(judgement.body, deps.gaps), { skewMs: read.skewMs, hasEnded })
      : undefined;
  if (isRunning(shown) && !intent.runningSeen) await deps.ledger.markRunningSeen(intent.intentId);
  const end = endOf(shown, requestFinal, { onlyById, isPending: judgement.outcome === 'PENDING' });
  if (end !== undefined) return { ...(await settledBy(look, end)), ...charge };
  const status = statusOf(read.exchange);
  if (judgement.outcome === 'REJECTED' && (status === 401 || status === 403)) return { kind: 'credentials', status };
  return { ...notFinished(judgement, shown), ...charge };
}

/** What the status shows, and whether that is the end of this refresh. */
type Shown = RefreshVerdict & { readonly status: RefreshStatus };

/** `hasEnded`: the request of this refresh has ended. */
async function judgeRecord(
  look: Look,
  status: RefreshStatus,
  { skewMs, hasEnded }: { readonly skewMs: number | null; readonly hasEnded: boolean },
): Promise<Shown> {
  const named = await namedRefresh(look, status);
  const known = {
    hasEnded,
    isEarlier: !hasEnded && named === 'earlier',
    isLater: named === 'later',
    isAhead: isAhead(look, status, skewMs),
    skewMs,
  };
  const verdict = decideRefresh(status, look.intent, known);
  return { ...verdict, status };
}

function isRunning(shown: Shown | undefined): boolean {
  return shown?.finished === false && shown.running;
}

/** The end by the status, or, if that proves nothing, by the final answer of the request, which certainly is about this refresh. */
function endOf(
  shown: Shown | undefined,
  requestFinal: RequestFinal | undefined,
  { onlyById, isPending }: { readonly onlyById: boolean; readonly isPending: boolean },
): Settlement | undefined {
  if (shown?.finished === true && (!onlyById || shown.proof === 'request id')) {
    return endByStatus(requestFinal?.settlement, shown);
  }
  if (requestFinal?.refined === undefined || isPending) return undefined;
  return endByRequest(requestFinal, requestFinal.refined, 'final answer of the request');
}

function notFinished(judgement: Judgement, shown: Shown | undefined): NotFinished {
  const says = saysOf(judgement, shown);
  const hintMs = judgement.outcome === 'PENDING' ? judgement.hintMs : null;
  const word = shown?.status.state === 'running' && !shown.status.recognised ? shown.status.rawStatus : undefined;
  return { kind: 'not finished', says, hintMs, ...present({ word }) };
}

function saysOf({ outcome }: Judgement, shown: Shown | undefined): NotFinished['says'] {
  if (outcome === 'PENDING' || isRunning(shown)) return 'running';
  return outcome === 'NOT_SENT' || outcome === 'UNKNOWN' ? 'unheard' : 'nothing';
}

async function settledBy(look: Look, settlement: Settlement): Promise<AwaitFinalResult> {
  return settledResult(look.deps, await settle(look, settlement), look.input);
}

/** The settlement of a refresh whose request says how it ended. */
function endByRequest(
  { settlement }: RequestFinal,
  end: NonNullable<RequestFinal['refined']>,
  proof: string,
): Settlement {
  return { ...settlement, ...end, state: 'done', evidence: { proof } };
}

function isAhead({ deps, intent }: Look, { timeMs }: RefreshStatus, skewMs: number | null): boolean {
  return timeMs !== undefined && isAheadOfService(timeMs, { intent, nowMs: deps.clock.nowMs(), skewMs });
}

/**
 * Which other refresh of ours the record is of. The time of an earlier one proves nothing: it may change whenever the service
 * looks at the case.
 */
async function namedRefresh(
  { deps, input, intent }: Look,
  { state, requestId }: Pick<RefreshStatus, 'state' | 'requestId'>,
): Promise<'earlier' | 'later' | undefined> {
  if (state === 'running' || requestId === undefined || requestId === intent.requestId) return undefined;
  const named = (await deps.ledger.requested(input.account, requestId))?.intent;
  if (named === undefined || named.intentId === intent.intentId) return undefined;
  return named.openedAtMs <= intent.openedAtMs ? 'earlier' : 'later';
}

/**
 * The read of the status has charged before and is not made any more. A request that has ended proves that this refresh has
 * ended. Without a request, only one that an event names, or a person, can show it. An event alone ends nothing.
 */
async function withoutStatus(look: Look, requestFinal: RequestFinal | undefined): Promise<AwaitFinalResult> {
  if (requestFinal === undefined) {
    if (look.intent.requestId === null) await takeNamedRequest(look);
    return { kind: 'barred' };
  }
  const end = requestFinal.refined ?? { finalState: 'done', rawStatus: null };
  const proof = 'the request has ended; the status is not read, it has charged before';
  return settledBy(look, endByRequest(requestFinal, end, proof));
}

/** The settlement of a refresh whose status proves how it ended; the rest is that of its request, if it has one. */
function endByStatus(
  requestFinal: Settlement | undefined,
  { state, proof, status }: Extract<Shown, { readonly finished: true }>,
): Settlement {
  return {
    ...requestFinal,
    state: 'done',
    finalState: state,
    rawStatus: status.rawStatus ?? null,
    evidence: { proof, serviceTimeMs: status.timeMs ?? null },
  };
}

/** Looks for a request that an event has named and whose answer proves that it is this refresh. The row then takes its id. */
async function takeNamedRequest(look: Look): Promise<void> {
  const { deps, input, intent, account, signal } = look;
  for (const requestId of await requestsOf(deps, intent, String(input.params['cnj'] ?? ''))) {
    const { status, skewMs } = await askRequest(deps, { account, requestId, totalMs: REQUEST_MS, signal });
    if (status === undefined) continue;
    const byTimeAlone = { ...intent, requestId: null, runningSeen: false };
    const known = { isAhead: isAhead(look, status, skewMs), skewMs };
    if (!decideRefresh(status, byTimeAlone, known).finished) continue;
    await settle(look, { state: 'pending', requestId, evidence: { requestFrom: 'an event, by its own answer' } });
    throw notYet('an event has named its request, which has ended; its answer is read next', 1_000);
  }
}
