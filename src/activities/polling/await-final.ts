/**
 * The poll (design 9): one look an attempt, repeated by the server. For a refresh one body asks for the request and, when that
 * is final or there is no request id, for the status of the case. Ends by settling the *original* intent, whoever polls.
 */
import { noteThrottle, type Exchange, type Judgement, type PollVerdict } from '../../http/index.js';
import type { AwaitFinalInput, AwaitFinalResult } from '../../protocol/index.js';
import { answerOf } from '../charged/answer-of.js';
import { refineJudgement } from '../charged/refine-judgement.js';
import { finalSettlementOf, foreignSettlement } from '../charged/settlement-of.js';
import type { ActivityDeps } from '../deps.js';
import { respectThrottle } from '../free/throttle.js';
import { impossible, notYet } from '../to-failure.js';
import type { ErrorFinals } from './error-finals.js';
import { delayMs, settle, settledResult, stillPending, type Look } from './look.js';
import { bringBackPending } from './bring-back-pending.js';
import { pollRequest } from './poll-request.js';
import { lookAtStatus, readStatus } from './read-status.js';

export async function awaitFinal(
  deps: ActivityDeps,
  input: AwaitFinalInput,
  asker: { readonly signal: AbortSignal; readonly workflowId: string; readonly errors: ErrorFinals },
): Promise<AwaitFinalResult> {
  const account = deps.accounts.get(input.account);
  if (account === undefined) throw impossible(`account "${input.account}" is not configured on this worker`);
  const own = (await deps.ledger.find(input.intentId)) ?? (await bringBackPending(deps, input));
  if (own === undefined) return { kind: 'forgotten', status: 0 };
  const original = own.joined === null ? own : ((await deps.ledger.find(own.joined)) ?? own);
  if (original.state !== 'pending') return settledResult(deps, own.intentId, input);
  const { signal, workflowId } = asker;
  const look: Look = { deps, account, input, own, intent: original, signal, askedBy: workflowId };

  const request = original.requestId ?? input.requestId ?? null;
  if (request === null) {
    if (input.operation !== 'requestRefresh') throw impossible('pending work without a request id cannot be polled');
    return lookAtStatus(look, undefined);
  }
  await respectThrottle(deps, input.account);
  const { exchange, end } = await pollRequest(deps, {
    ...{ account, operation: input.operation, requestId: request, signal },
  });
  if (end.end !== 'error' && end.end !== 'again') asker.errors.forget(original.intentId);
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
      return finished(look, exchange, end.judgement);
    case 'error':
      return endedByError(look, { exchange, end, errors: asker.errors });
  }
}

/**
 * Asking again is free, so an error ends the work only when it lasts. The status of a refresh knows more than the request: an end
 * that it proves is one at once.
 */
async function endedByError(
  look: Look,
  told: {
    readonly exchange: Exchange;
    readonly end: Extract<PollVerdict, { end: 'error' }>;
    readonly errors: ErrorFinals;
  },
): Promise<AwaitFinalResult> {
  const { deps, input, intent } = look;
  const { exchange, end, errors } = told;
  const lasts = errors.lasts(intent.intentId, deps.clock.nowMs());
  const isRefresh = input.operation === 'requestRefresh';
  const seen = isRefresh ? await readStatus(look, undefined, { onlyById: !lasts }) : undefined;
  if (seen?.kind === 'not finished' && seen.unexpected !== undefined) {
    return { kind: 'unexpected charge', unexpected: seen.unexpected };
  }
  if (seen !== undefined && seen.kind !== 'not finished' && seen.kind !== 'barred') return seen;
  if (!lasts) {
    throw notYet(`HTTP ${end.status} of the service; it is asked again, which costs nothing`, delayMs(look, null));
  }
  errors.forget(intent.intentId);
  return finished(look, exchange, end.judgement);
}

async function finished(look: Look, exchange: Exchange, judgement: Judgement): Promise<AwaitFinalResult> {
  const { deps, input, intent } = look;
  const operation = deps.catalogue.operationOf(input.operation);
  const refined = refineJudgement(judgement, answerOf(deps, { operation, exchange, asked: input }));
  const settlement = foreignSettlement(operation, finalSettlementOf(refined.judgement, exchange, intent));
  const isRefresh = input.operation === 'requestRefresh';
  if (isRefresh && judgement.outcome === 'DONE') return lookAtStatus(look, { settlement, refined: refined.refresh });
  await settle(look, { ...settlement, ...refined.refresh }, exchange);
  return settledResult(deps, input.intentId, input);
}

/**
 * The service does not know the request any more: the charge stands, its answer cannot be had by polling. A refresh goes on by
 * the status of its case while that says that one is running, and while it cannot be heard.
 */
async function forgotten(look: Look, status: number): Promise<AwaitFinalResult> {
  const { input } = look;
  const seen = input.operation === 'requestRefresh' ? await readStatus(look, undefined) : undefined;
  if (seen?.kind === 'not finished' && seen.says !== 'nothing') {
    if (seen.unexpected !== undefined) return { kind: 'unexpected charge', unexpected: seen.unexpected };
    throw stillPending(look, seen.hintMs);
  }
  if (seen !== undefined && seen.kind !== 'not finished' && seen.kind !== 'barred') return seen;
  const reason = `the service has forgotten the request (HTTP ${status})`;
  if (input.operation === 'getRequest') {
    // A look at somebody else's work: nothing of ours was paid, so nothing is left to decide.
    await settle(look, { state: 'rejected', httpStatus: status, reason });
    return settledResult(look.deps, input.intentId, input);
  }
  await settle(look, { state: 'unknown', reason });
  const told = seen?.kind === 'not finished' && seen.unexpected !== undefined ? { unexpected: seen.unexpected } : {};
  return { kind: 'forgotten', status, ...told };
}
