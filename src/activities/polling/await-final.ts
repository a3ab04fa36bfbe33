/**
 * The poll of pending work: one look per attempt, repeated by the server. For a refresh, one attempt asks for the request and,
 * if that is final or there is no request id, for the status of the case. The end settles the *original* intent, whichever flow
 * polls.
 */
import { goesByStatus, present } from '../../contract/index.js';
import { statusOf, type Exchange, type Judgement, type PollVerdict } from '../../http/index.js';
import { ledgerParams, type Intent, type PollLook } from '../../ledger/index.js';
import type { AwaitFinalInput, AwaitFinalResult } from '../../protocol/index.js';
import { refineJudgement } from '../charged/refine-judgement.js';
import { waiterKeysOf } from '../charged/waiter-keys-of.js';
import { finalSettlementOf, foreignSettlement } from '../charged/settlement-of.js';
import type { Asker } from '../asker.js';
import { accountOf } from '../configured-account.js';
import { chargedBefore } from '../free/collect-charges.js';
import { throttled } from '../free/throttle.js';
import { impossible, notYet } from '../to-failure.js';
import type { ErrorFinals } from './error-finals.js';
import { delayMs, settle, settledResult, stillPending, type Look, type LookDeps } from './look.js';
import { pollRequest } from './poll-request.js';
import { STATUS_READ, lookAtStatus, readStatus } from './read-status.js';

/** Long work is polled rarely, but whether an error lasts has to be known sooner. */
const AGAIN_SOON_MS = 20_000;

export async function awaitFinal(
  deps: LookDeps,
  input: AwaitFinalInput,
  asker: Pick<Asker, 'signal' | 'workflowId'> &
    Partial<Pick<Asker, 'withinMs' | 'attempt' | 'activity'>> & { readonly errors: ErrorFinals },
): Promise<AwaitFinalResult> {
  const account = accountOf(deps, input.account);
  const seen = await deps.ledger.lookForPoll({ intentId: input.intentId, account: input.account, read: STATUS_READ });
  const own = seen.own ?? (await restorePending(deps, input));
  if (own === undefined) return { kind: 'forgotten', status: 0 };
  const original = seen.original ?? own;
  const [unexpected] = seen.isBarred ? await chargedBefore(deps, own.workflowId, asker) : [];
  if (original.state !== 'pending') return { ...(await settledResult(deps, own, input)), ...present({ unexpected }) };
  if (unexpected !== undefined) return { kind: 'unexpected charge', unexpected };
  const look: Look = {
    deps: withPollLook(deps, seen),
    account,
    input,
    own,
    row: seen.row,
    intent: original,
    signal: asker.signal,
    askedBy: asker.workflowId,
  };

  const request = original.requestId ?? input.requestId ?? null;
  if (request === null) {
    if (!goesByStatus(input.operation)) throw impossible('pending work without a request id cannot be polled');
    return lookAtStatus(look, undefined);
  }
  if (seen.hold?.because === 'throttled') throw throttled(deps, seen.hold.untilMs);
  const polled = await pollRequest(deps, {
    account,
    operation: input.operation,
    requestId: request,
    signal: asker.signal,
    ...present({ withinMs: asker.withinMs }),
  });
  return endByPoll(look, polled, asker.errors);
}

/** The end of the work. Throws "not yet" if the work has not ended: the server repeats the poll. */
async function endByPoll(
  look: Look,
  { exchange, end }: Awaited<ReturnType<typeof pollRequest>>,
  errors: ErrorFinals,
): Promise<AwaitFinalResult> {
  const { intent } = look;
  const hasToLast = end.end === 'error' || (end.end === 'final' && isUnsignedRefusal(end.judgement));
  if (!hasToLast && end.end !== 'again') errors.forget(intent.intentId);
  switch (end.end) {
    case 'still pending':
      await bookCharge(look, end);
      throw stillPending(look, end.hintMs);
    case 'again':
      throw notYet(end.reason, delayMs(look, end.hintMs));
    case 'credentials':
      return { kind: 'credentials', status: end.status };
    case 'forgotten':
      return forgotten(look, end.status);
    case 'final':
    case 'error':
      return hasToLast
        ? endedByError(look, { exchange, judgement: end.judgement, errors })
        : finished(look, exchange, end.judgement);
  }
}

/**
 * A refusal without consumption, balance or ids of the service. It may be the final answer, or the service did not see the
 * request for a moment. The work was accepted and may have been paid, so one such answer is no end (docs/decisions/0014).
 */
function isUnsignedRefusal(judgement: Judgement): boolean {
  if (judgement.outcome !== 'REJECTED') return false;
  const { charged, balanceAfter, metaRequestId, searchLogId } = judgement.meta;
  return [charged, balanceAfter, metaRequestId, searchLogId].every((figure) => figure === null);
}

/**
 * A poll is free, so a charge that it reports is that of the work. It is booked at once, because the end may not repeat it. The
 * work that `getRequest` polls is not ours.
 */
async function bookCharge(
  look: Look,
  { charged, searchLogId }: Extract<PollVerdict, { readonly end: 'still pending' }>,
): Promise<void> {
  const { input, intent } = look;
  if (charged === undefined || charged <= (intent.charged ?? 0) || input.operation === 'getRequest') return;
  await settle(look, { state: 'pending', charged, ...present({ searchLogId }) });
}

/** Within the attempt the ledger answers from what the look has read of the account: no query is made twice. */
function withPollLook(deps: LookDeps, { hold, isBarred }: PollLook): LookDeps {
  const { ledger } = deps;
  return {
    ...deps,
    ledger: {
      ...ledger,
      isBarred: async (account, operation) =>
        operation === STATUS_READ
          ? isBarred || (await ledger.isBarredHere(account, operation))
          : ledger.isBarred(account, operation),
      holdOf: (account, call) => (call.free ? Promise.resolve(hold) : ledger.holdOf(account, call)),
    },
  };
}

/**
 * Polls are free, so an error or an unsigned refusal ends the work only if it lasts. The status of a refresh says more than its
 * request: an end that it proves counts at once.
 */
async function endedByError(
  look: Look,
  error: {
    readonly exchange: Exchange;
    readonly judgement: Judgement;
    readonly errors: ErrorFinals;
  },
): Promise<AwaitFinalResult> {
  const { deps, input, intent } = look;
  const { exchange, judgement, errors } = error;
  const lasts = errors.lasts(intent.intentId, deps.clock.nowMs());
  // A later refresh by anybody proves nothing about one that was refused.
  const onlyById = !lasts || judgement.outcome === 'REJECTED';
  const seen = goesByStatus(input.operation) ? await readStatus(look, undefined, { onlyById }) : undefined;
  if (seen?.kind === 'not finished' && seen.unexpected !== undefined) {
    return { kind: 'unexpected charge', unexpected: seen.unexpected };
  }
  if (isEnd(seen)) return seen;
  if (!lasts) {
    throw notYet(
      `the service answered HTTP ${statusOf(exchange) ?? 0}; it is polled again, free`,
      Math.min(delayMs(look, null), AGAIN_SOON_MS),
    );
  }
  errors.forget(intent.intentId);
  return finished(look, exchange, judgement);
}

type Seen = Awaited<ReturnType<typeof readStatus>>;

/** The status was read, and what it shows ends the poll. */
function isEnd(seen: Seen | undefined): seen is Exclude<Seen, { readonly kind: 'not finished' | 'barred' }> {
  return seen !== undefined && seen.kind !== 'not finished' && seen.kind !== 'barred';
}

async function finished(look: Look, exchange: Exchange, judgement: Judgement): Promise<AwaitFinalResult> {
  const { deps, input, intent } = look;
  const operation = deps.catalogue.operationOf(input.operation);
  const refined = refineJudgement(deps, judgement, { operation, exchange, asked: input, isFinal: true });
  const settlement = foreignSettlement(operation, finalSettlementOf(refined.judgement, exchange, intent));
  if (goesByStatus(operation.id) && (judgement.outcome === 'DONE' || judgement.outcome === 'CHARGED_LOST')) {
    // Whatever the request ends with, the status shows what became of the refresh.
    const { reason: _unreadable, ...final } = settlement;
    return lookAtStatus(look, { settlement: final, refined: refined.end });
  }
  return settledResult(deps, await settle(look, { ...settlement, ...refined.end }, exchange), input);
}

/**
 * The service no longer knows the request: the charge remains, and polls cannot bring its answer. A refresh stays pending while
 * the status of its case says that one is running, or cannot be read.
 */
async function forgotten(look: Look, status: number): Promise<AwaitFinalResult> {
  const { input } = look;
  const seen = goesByStatus(input.operation) ? await readStatus(look, undefined) : undefined;
  if (seen?.kind === 'not finished' && seen.says !== 'nothing') {
    if (seen.unexpected !== undefined) return { kind: 'unexpected charge', unexpected: seen.unexpected };
    throw stillPending(look, seen.hintMs);
  }
  if (isEnd(seen)) return seen;
  const reason = `the service does not know request ${look.intent.requestId ?? input.requestId ?? ''} (HTTP ${status})`;
  if (input.operation === 'getRequest') {
    // The work is another caller's: we have paid nothing, so nothing is left to decide.
    return settledResult(look.deps, await settle(look, { state: 'rejected', httpStatus: status, reason }), input);
  }
  await settle(look, { state: 'unknown', reason });
  return {
    kind: 'forgotten',
    status,
    ...present({ unexpected: seen?.kind === 'not finished' ? seen.unexpected : undefined }),
  };
}

/**
 * The ledger has lost the row of pending work: it is written again from what the flow knows, and polled. Undefined if that is
 * not enough: the resolver takes over.
 */
async function restorePending(deps: LookDeps, input: AwaitFinalInput): Promise<Intent | undefined> {
  const { attempt, intentId, requestId, account, operation } = input;
  if (attempt === undefined || attempt.isCopy === true || requestId === undefined) return undefined;
  const { workflowId, firstRunId, step, ordinal } = attempt;
  const intent = await deps.ledger.restoreFromFlow({
    intentId,
    requestId,
    account,
    operation,
    workflowId,
    firstRunId,
    step,
    ordinal,
    params: ledgerParams(input),
    ...present({ body: input.body }),
    workflowType: attempt.workflowType,
    flags: attempt.flags,
    once: attempt.once ?? null,
    waiterKeys: waiterKeysOf(input, deps.gaps),
    openedAtMs: input.sinceMs,
  });
  deps.log.error(
    { intentId, operation, account },
    'the ledger had lost the row of pending work; its flow has written it again',
  );
  return intent;
}
