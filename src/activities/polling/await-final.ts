/**
 * The poll (design 9): one look an attempt, repeated by the server. For a refresh one body asks for the request and, when that
 * is final or there is no request id, for the status of the case. Ends by settling the *original* intent, whoever polls.
 */
import {
  buildRequest,
  readRefreshStatus,
  type Parameters,
  type RefreshStatus,
  type ServiceRequest,
} from '../../contract/index.js';
import { judgePoll, pollDelayMs, type Exchange, type PollVerdict } from '../../http/index.js';
import { cnjKey } from '../../inbox/index.js';
import type { Intent, Settlement } from '../../ledger/index.js';
import type { AwaitFinalInput, AwaitFinalResult } from '../../protocol/index.js';
import type { AccountDeps, ActivityDeps } from '../deps.js';
import { answerOf } from '../charged/answer-of.js';
import { readFree } from '../free/free-read.js';
import { refineJudgement } from '../charged/refine-judgement.js';
import { decideRefresh } from './refresh-proof.js';
import { rememberAnswer } from '../remember/remember-answer.js';
import { finalSettlementOf, foreignSettlement } from '../charged/settlement-of.js';
import { parseStored, storedOutcome, withoutWebhook, type Asked } from '../charged/stored-outcome.js';
import { noteThrottle, respectThrottle, throttled } from '../free/throttle.js';
import { impossible, notYet } from '../to-failure.js';

/** Inside the activity's 60 s, for both looks of a refresh together. */
const LOOK_TOTAL_MS = 25_000;
/** One look alone, whose final may be a file. */
const FILE_LOOK_TOTAL_MS = 50_000;
const MOST_EVENTS = 20;

interface Look {
  readonly deps: ActivityDeps;
  readonly account: AccountDeps;
  readonly input: AwaitFinalInput;
  /** This flow's row. */
  readonly own: Intent;
  /** The row that carries the charge: the original where this flow joined it. */
  readonly intent: Intent;
  readonly signal: AbortSignal;
  /** Workflow that polls: it need not be told what it finds. */
  readonly askedBy: string;
}

interface RequestFinal {
  readonly settlement: Settlement;
  readonly refined: Pick<Settlement, 'finalState' | 'rawStatus'> | undefined;
}

export async function awaitFinal(
  deps: ActivityDeps,
  input: AwaitFinalInput,
  asker: { readonly signal: AbortSignal; readonly workflowId: string },
): Promise<AwaitFinalResult> {
  const account = deps.accounts.get(input.account);
  if (account === undefined) throw impossible(`account "${input.account}" is not configured on this worker`);
  const own = await deps.ledger.find(input.intentId);
  if (own === undefined) throw impossible(`ledger row ${input.intentId} does not exist`);
  const original = own.joined === null ? own : ((await deps.ledger.find(own.joined)) ?? own);
  if (original.state !== 'pending') return settledResult(deps, own.intentId, input);
  const { signal, workflowId } = asker;
  const look: Look = { deps, account, input, own, intent: original, signal, askedBy: workflowId };

  const request = original.requestId ?? input.requestId ?? null;
  if (request === null) {
    if (input.operation !== 'requestRefresh') throw impossible('pending work without a request id cannot be polled');
    return lookAtStatus(look, { requestFinal: undefined });
  }
  await respectThrottle(deps, input.account);
  const exchange = await send(look, 'getRequest', { requestId: request });
  const end = judgePoll(exchange, {
    operation: deps.catalogue.operationOf(input.operation),
    nowMs: deps.clock.nowMs(),
    // A final 5xx is about work that was accepted, and may have been paid: never a reason to send again.
    serverErrors: 'unknown',
  });
  switch (end.end) {
    case 'still pending':
      throw stillPending(look, end.hintMs);
    case 'again':
      await noteThrottle(deps, input.account, { exchange, waitMs: end.hintMs });
      throw notYet(end.reason, delayMs(look, end.hintMs));
    case 'credentials':
      return { kind: 'credentials', status: end.status };
    case 'forgotten':
      return forgotten(look, end.status);
    case 'final':
      return finished(look, exchange, end);
  }
}

async function finished(
  look: Look,
  exchange: Exchange,
  end: Extract<PollVerdict, { end: 'final' }>,
): Promise<AwaitFinalResult> {
  const { deps, input, intent } = look;
  const operation = deps.catalogue.operationOf(input.operation);
  const refined = refineJudgement(end.judgement, answerOf(deps, { operation, exchange, asked: input }));
  const settlement = foreignSettlement(operation, finalSettlementOf(refined.judgement, exchange, intent));
  const isRefresh = input.operation === 'requestRefresh';
  if (isRefresh && end.judgement.outcome === 'DONE')
    return lookAtStatus(look, { requestFinal: { settlement, refined: refined.refresh } });
  await settle(look, { ...settlement, ...refined.refresh }, exchange);
  return settledResult(deps, input.intentId, input);
}

/** The state of the case's refresh; final only with proof that it is this one (refresh-proof.ts). */
async function lookAtStatus(
  look: Look,
  known: { readonly requestFinal: RequestFinal | undefined },
): Promise<AwaitFinalResult> {
  const { deps, input, intent } = look;
  const { requestFinal } = known;
  const read = await readFree(deps, {
    account: look.account,
    operation: 'getRefreshStatus',
    params: { cnj: input.params['cnj'] ?? '' },
    totalMs: LOOK_TOTAL_MS,
    signal: look.signal,
    reader: look.own,
  });
  if (read.kind === 'throttled') throw throttled(deps, read.untilMs);
  if (read.kind === 'barred') return withoutStatus(look, requestFinal);
  const { exchange, judgement } = read;
  const told = read.unexpected === undefined ? {} : { unexpected: read.unexpected };
  if (judgement.outcome === 'DONE') {
    const status = readRefreshStatus(judgement.body, deps.gaps);
    const verdict = decideRefresh(status, intent);
    if (verdict.finished) {
      await settle(look, finalOf(requestFinal?.settlement, { state: verdict.state, proof: verdict.proof, status }));
      return { ...(await settledResult(deps, input.intentId, input)), ...told };
    }
    if (verdict.running && !intent.runningSeen) await deps.ledger.markRunningSeen(intent.intentId);
  }
  // The request's own final answer is about this request: its word counts where the status record proves nothing.
  if (requestFinal?.refined !== undefined && judgement.outcome !== 'PENDING') {
    await settle(look, {
      ...requestFinal.settlement,
      ...requestFinal.refined,
      state: 'done',
      evidence: { proof: 'final answer of the request' },
    });
    return { ...(await settledResult(deps, input.intentId, input)), ...told };
  }
  if (judgement.outcome === 'REJECTED' && (exchangeStatus(exchange) === 401 || exchangeStatus(exchange) === 403)) {
    return { kind: 'credentials', status: exchangeStatus(exchange) };
  }
  if (read.unexpected !== undefined) return { kind: 'unexpected charge', unexpected: read.unexpected };
  throw stillPending(look, judgement.outcome === 'PENDING' ? judgement.hintMs : null);
}

/**
 * The status has charged before and is not read any more. The end of the request is proof enough that this refresh has
 * ended; without a request, only an event or a person can tell.
 */
async function withoutStatus(look: Look, requestFinal: RequestFinal | undefined): Promise<AwaitFinalResult> {
  const { deps, input } = look;
  if (requestFinal === undefined) return (await byEvents(look)) ?? { kind: 'barred' };
  await settle(look, {
    ...requestFinal.settlement,
    ...(requestFinal.refined ?? { finalState: 'done', rawStatus: null }),
    state: 'done',
    evidence: { proof: 'the request has ended; the status is not read, it has charged before' },
  });
  return settledResult(deps, input.intentId, input);
}

function finalOf(
  requestFinal: Settlement | undefined,
  found: { readonly state: string; readonly proof: string; readonly status: RefreshStatus },
): Settlement {
  return {
    ...requestFinal,
    state: 'done',
    finalState: found.state,
    rawStatus: found.status.rawStatus ?? null,
    evidence: { proof: found.proof, serviceTimeMs: found.status.timeMs ?? null },
  };
}

/** The service does not know the request any more: the charge stands, its answer cannot be had by polling. */
async function forgotten(look: Look, status: number): Promise<AwaitFinalResult> {
  const { input } = look;
  if (input.operation === 'requestRefresh') {
    try {
      const seen = await lookAtStatus(look, { requestFinal: undefined });
      if (seen.kind === 'settled') return seen;
    } catch {
      // Not finished by its status either: the row becomes unknown below.
    }
  }
  const reason = `the service has forgotten the request (HTTP ${status})`;
  if (input.operation === 'getRequest') {
    // A look at somebody else's work: nothing of ours was paid, so nothing is left to decide.
    await settle(look, { state: 'rejected', httpStatus: status, reason });
    return settledResult(look.deps, input.intentId, input);
  }
  await settle(look, { state: 'unknown', reason });
  return { kind: 'forgotten', status };
}

async function settle(look: Look, settlement: Settlement, exchange?: Exchange): Promise<void> {
  const { deps, input, askedBy } = look;
  const settled = await deps.ledger.settle(input.intentId, settlement, askedBy);
  await deps.wake(settled.intent, settled.wake);
  const body = exchange?.kind === 'answer' ? { body: exchange.body } : {};
  await rememberAnswer(deps, { intent: settled.intent, params: input.params, ...body });
}

/** The end that an event has told, with the same proof as the status would need. */
async function byEvents(look: Look): Promise<AwaitFinalResult | undefined> {
  const { deps, input, intent } = look;
  const keys = [cnjKey(String(input.params['cnj'] ?? ''))];
  for (const { body } of await deps.eventsFor(keys, intent.openedAtMs, MOST_EVENTS)) {
    const status = readRefreshStatus(parseStored(body), deps.gaps);
    const verdict = decideRefresh(status, intent);
    if (!verdict.finished) continue;
    await settle(look, finalOf(undefined, { state: verdict.state, proof: `event: ${verdict.proof}`, status }));
    return settledResult(deps, input.intentId, input);
  }
  return undefined;
}

async function settledResult(
  deps: ActivityDeps,
  intentId: string,
  asked: Asked,
): Promise<Extract<AwaitFinalResult, { kind: 'settled' }>> {
  const intent = await deps.ledger.find(intentId);
  if (intent === undefined) throw impossible(`ledger row ${intentId} does not exist`);
  if (intent.state === 'pending' || intent.state === 'open') throw notYet('the answer is being settled', 1_000);
  return { kind: 'settled', call: await storedOutcome(deps, intent, withoutWebhook(asked)) };
}

function send(look: Look, operationId: 'getRequest', params: Parameters): Promise<Exchange> {
  const request: ServiceRequest = buildRequest(
    look.deps.catalogue.operationOf(operationId),
    { params, flags: [] },
    look.deps.gaps,
  );
  const { deps, input, account, signal } = look;
  // The final of a file is the file; of foreign work nobody knows what it is.
  const { answer } = deps.catalogue.operationOf(input.operation);
  const file = answer === 'pdf' || answer === 'reproduced';
  const limits = file
    ? { totalMs: FILE_LOOK_TOTAL_MS, sink: { directory: deps.filesDir } }
    : { totalMs: LOOK_TOTAL_MS };
  return account.client.send(request, { keepAlive: true, signal, ...limits });
}

function stillPending(look: Look, hintMs: number | null): Error {
  return notYet('the service has not finished', delayMs(look, hintMs));
}

function delayMs(look: Look, hintMs: number | null): number {
  return pollDelayMs({ hintMs, waitedMs: Math.max(0, look.deps.clock.nowMs() - look.input.sinceMs) });
}

function exchangeStatus(exchange: Exchange): number {
  return exchange.kind === 'answer' || exchange.kind === 'cut' ? exchange.head.status : 0;
}
