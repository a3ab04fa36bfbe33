/**
 * The charged call (design 8): intent → age fence → send → spool, then settle → outcome. One HTTP request, at most one charge,
 * one attempt. It returns values and does not throw: after the request may have been sent, nothing here can lose its answer.
 *
 * C1: no socket is opened before the intent is committed. C2: the request is not written when the activity's body is older
 * than {@link MAX_AGE_MS}. C3: what came back is on disk before anything else is done with it. C4: the worker's cancellation
 * is not wired to the request.
 */
import {
  argumentsProblem,
  buildRequest,
  formatAmount,
  operationOf,
  parseAmount,
  type FlagName,
  type OperationId,
} from '../contract/index.js';
import { judgeExchange, type Exchange, type Judgement } from '../http/index.js';
import { cnjKey } from '../inbox/index.js';
import type { Intent, IntentVerdict } from '../ledger/index.js';
import type { CallOutcome, ChargedCallInput, ChargedCallResult } from '../protocol/index.js';
import type { AccountDeps, ActivityDeps } from './deps.js';
import { NO_PLAN, outcomeOfIntent, type OutcomeContext } from './outcome-of-intent.js';
import { refineJudgement } from './refine-judgement.js';
import { rememberAnswer } from './remember-answer.js';
import { settleAnswer, type Answered } from './settle-answer.js';
import { settlementOf } from './settlement-of.js';
import { storedOutcome } from './stored-outcome.js';
import { describeError } from './to-failure.js';

/** A body that began longer ago than this sends nothing: the process was paused or the machine frozen (design 8.2). */
export const MAX_AGE_MS = 10_000;
/** HTTP total of a JSON call; with the age fence and settling it stays inside the activity's 60 s (docs/decisions/0003). */
const JSON_TOTAL_MS = 45_000;
/** Settling is tried until this age of the body; then a free activity settles from the spool. */
const SETTLE_UNTIL_MS = 55_000;
/** How long a webhook is waited for before polling, where the flow does not say (design 9.1). */
const DEFAULT_PATIENCE_MS = 10 * 60_000;

export interface Attempt {
  readonly attempt: number;
  /** Made once per body; the new row's id. */
  readonly attemptToken: string;
}

export async function runChargedCall(
  deps: ActivityDeps,
  operationId: OperationId,
  input: ChargedCallInput,
  attempt: Attempt,
): Promise<ChargedCallResult> {
  const age = startAge(deps);
  const account = deps.accounts.get(input.account);
  if (account === undefined) {
    return { outcome: 'REFUSED', problem: `input.account "${input.account}" is not configured on this worker` };
  }
  const operation = operationOf(operationId);
  const problem = argumentsProblem(operation, input.params, input.flags);
  if (problem !== undefined) return { outcome: 'REFUSED', problem };
  const webhookExpected = operation.announcedByWebhook && (input.webhook ?? account.webhooks);

  const verdict = await openIntent(deps, { operationId, input, attempt, webhookExpected, age });
  if (verdict === undefined) {
    return { outcome: 'NOT_SENT', reason: 'the database is away', charged: null, reused: false, settled: true };
  }
  const result =
    verdict.verdict === 'send'
      ? await send(deps, { account, operationId, input, intent: verdict.intent, webhookExpected, age })
      : await withoutSending(deps, { input, verdict });
  return account.maskCnj ? { ...result, caseAttribute: maskedCase(deps, input) } : result;
}

/** Keeps trying with the same token while the age fence allows a send: a lost commit acknowledgement is recognised. */
async function openIntent(
  deps: ActivityDeps,
  call: {
    readonly operationId: OperationId;
    readonly input: ChargedCallInput;
    readonly attempt: Attempt;
    readonly webhookExpected: boolean;
    readonly age: () => number;
  },
): Promise<IntentVerdict | undefined> {
  const { input, operationId, attempt } = call;
  const maxSpend = input.maxSpend === undefined ? undefined : parseAmount(input.maxSpend);
  const request = {
    workflowId: input.workflowId,
    firstRunId: input.firstRunId,
    step: input.step,
    ordinal: input.ordinal,
    account: input.account,
    operation: operationId,
    workflowType: input.workflowType,
    params: input.params,
    flags: input.flags,
    webhookExpected: call.webhookExpected,
    attemptToken: attempt.attemptToken,
    attempt: attempt.attempt,
    waiterKeys: input.params['cnj'] === undefined ? [] : [cnjKey(String(input.params['cnj']))],
    ...(input.once === undefined ? {} : { once: input.once }),
    ...(input.maxAgeMs === undefined ? {} : { maxAgeMs: input.maxAgeMs }),
    ...(input.notBeforeMs === undefined ? {} : { notBeforeMs: input.notBeforeMs }),
    ...(maxSpend === undefined ? {} : { maxSpend }),
    ...(input.joinIntent === undefined ? {} : { joinIntent: input.joinIntent }),
  };
  for (;;) {
    try {
      return await deps.ledger.openIntent(request);
    } catch (error) {
      deps.log.warn({ step: input.step, error: describeError(error) }, 'intent not written');
      if (call.age() > MAX_AGE_MS - 2_000) break;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  // The row may have been committed although we never heard of it. Nothing was sent, and the spool says so when the database is back.
  await deps.spool
    .write(attempt.attemptToken, { state: 'not_sent', reason: 'the database was away before the send' }, null)
    .catch(() => undefined);
  return undefined;
}

async function withoutSending(
  deps: ActivityDeps,
  call: {
    readonly input: ChargedCallInput;
    readonly verdict: Exclude<IntentVerdict, { verdict: 'send' }>;
  },
): Promise<ChargedCallResult> {
  const { verdict, input } = call;
  switch (verdict.verdict) {
    case 'stored':
    case 'closed':
      return storedOutcome(deps, verdict.intent, {
        params: input.params,
        patienceMs: input.webhookPatienceMs ?? DEFAULT_PATIENCE_MS,
        webhookWanted: input.webhook !== false,
        eventSeen: verdict.verdict === 'stored' && verdict.eventSeen === true,
      });
    case 'open elsewhere':
      return { outcome: 'HELD', because: 'open elsewhere', intentId: verdict.intent.intentId };
    case 'unknown elsewhere':
      return {
        outcome: 'HELD',
        because: 'unknown elsewhere',
        intentId: verdict.intent.intentId,
        openedAtMs: verdict.intent.openedAtMs,
      };
    case 'ambiguous':
      return {
        outcome: 'UNKNOWN',
        reason: 'another attempt of this call may have been sent',
        charged: null,
        reused: false,
        settled: true,
        ...(verdict.intent === undefined ? {} : { intentId: verdict.intent.intentId }),
      };
    case 'over budget':
      return {
        outcome: 'HELD',
        because: 'budget',
        cap: verdict.cap,
        limit: formatAmount(verdict.limit),
        needed: formatAmount(verdict.needed),
      };
    case 'once conflict':
      return { outcome: 'REFUSED', problem: verdict.problem };
  }
}

async function send(
  deps: ActivityDeps,
  call: {
    readonly account: AccountDeps;
    readonly operationId: OperationId;
    readonly input: ChargedCallInput;
    readonly intent: Intent;
    readonly webhookExpected: boolean;
    readonly age: () => number;
  },
): Promise<CallOutcome> {
  const { account, operationId, input, intent, age } = call;
  const operation = operationOf(operationId);
  const flags: readonly FlagName[] = call.webhookExpected ? [...input.flags, 'callback'] : input.flags;
  const request = buildRequest(operation, { params: input.params, flags }, deps.gaps);
  const exchange = await account.client.send(request, {
    totalMs: JSON_TOTAL_MS,
    keepAlive: false,
    beforeWrite: () =>
      age() > MAX_AGE_MS ? `the call is ${Math.round(age())} ms old, the process was paused` : undefined,
  });
  const judged = refineJudgement(operationId, judge(deps, account, operationId, exchange), {
    gaps: deps.gaps,
    params: input.params,
  });
  const settlement = settlementOf(judged.judgement, exchange, intent);
  const answered: Answered = {
    intent,
    settlement: judged.refresh === undefined ? settlement : { ...settlement, ...judged.refresh },
    untilAgeMs: SETTLE_UNTIL_MS,
    age,
  };
  const settled = await settleAnswer(deps, answered);
  const context: OutcomeContext = {
    source: settled?.intent ?? intent,
    reading: judged.reading,
    plan: {
      ...NO_PLAN,
      hintMs: judged.judgement.outcome === 'PENDING' ? judged.judgement.hintMs : null,
      webhookExpected: call.webhookExpected,
      patienceMs: input.webhookPatienceMs ?? DEFAULT_PATIENCE_MS,
      eventSeen: settled?.eventSeen ?? false,
    },
    ...(judged.judgement.outcome === 'REJECTED'
      ? { retryAfterMs: judged.judgement.retryAfterMs, aboutBalance: judged.judgement.aboutBalance }
      : {}),
  };
  if (settled === undefined) {
    return {
      outcome: 'UNKNOWN',
      intentId: intent.intentId,
      reason: 'stored in the spool',
      charged: null,
      reused: false,
      settled: false,
    };
  }
  await rememberAnswer(deps, { intent: settled.intent, params: input.params, ...bodyOf(exchange) });
  return outcomeOfIntent(settled.intent, context);
}

function bodyOf(exchange: Exchange): { body?: Buffer } {
  return exchange.kind === 'answer' ? { body: exchange.body } : {};
}

function judge(deps: ActivityDeps, account: AccountDeps, operationId: OperationId, exchange: Exchange): Judgement {
  return judgeExchange(operationOf(operationId), exchange, {
    nowMs: deps.clock.nowMs(),
    serverErrors: account.serverErrors,
  });
}

/** The larger of monotonic and wall-clock age: the one stands still in a frozen machine, the other in a turned-back clock. */
function startAge(deps: ActivityDeps): () => number {
  const wall = deps.clock.nowMs();
  const monotonic = deps.clock.monotonicMs();
  return () => Math.max(deps.clock.nowMs() - wall, deps.clock.monotonicMs() - monotonic);
}

function maskedCase(deps: ActivityDeps, input: ChargedCallInput): string {
  return deps.token('case', input.params['cnj'] ?? '');
}
