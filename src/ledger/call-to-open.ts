/** A call that asks to be sent, with everything that its opening needs: subject, limits, locks and look-up. Pure. */
import { isCharged, statedPrice, type Operation } from '../contract/index.js';
import { spellingsOfKey } from '../contract/values/index.js';
import { limitsOf, NO_LIMITS, type Limits } from './decide-budget.js';
import { accountBudgetLock, flowBudgetLock, onceLock, sharedBudgetLock, stepLock, subjectLock } from './lock-names.js';
import type { LookUpRequest } from './look-up.js';
import type { OpenIntent } from './opening-request.js';
import type { LedgerContext } from './settings.js';
import { subjectToken } from './subject.js';

export interface CallToOpen {
  readonly request: OpenIntent;
  readonly operation: Operation<string>;
  readonly free: boolean;
  readonly subject: string;
  readonly nowMs: number;
  readonly limits: Limits;
  readonly look: LookUpRequest;
  /** Lock names. `own` are taken before `ofLimits`; who holds the latter waits for no other lock. */
  readonly locks: { readonly own: readonly string[]; readonly ofLimits: readonly string[] };
  /** Key in `highestCharges`. */
  readonly priceKey: string;
}

export function callToOpen(context: LedgerContext, request: OpenIntent): CallToOpen {
  const { settings, catalogue, memory } = context;
  const { account, once } = request;
  const operation = catalogue.operationOf(request.operation);
  const free = !isCharged(operation, request.params);
  const subject = subjectToken(context, request);
  const nowMs = context.clock();
  // No limit stops a free call, not even one that is already exceeded: the call may fetch a paid answer.
  const limits = free ? NO_LIMITS : limitsOf(settings, request);
  const wanted = {
    flow: limits.flow !== undefined,
    price: !free && statedPrice(settings.prices, operation) === undefined,
  };
  const onceSpellings = once === undefined ? [] : spellingsOfKey(context.token, once);
  return {
    request,
    operation,
    free,
    subject,
    nowMs,
    limits,
    look: { request, subject, onceSpellings, nowMs, wanted, witness: memory.witness() },
    locks: { own: lockNames(request, subject, limits), ofLimits: limitLocks(request, limits) },
    priceKey: priceKey({ account, operation: operation.id }),
  };
}

/** Key in `highestCharges`. */
export function priceKey({ account, operation }: Pick<OpenIntent, 'account' | 'operation'>): string {
  return `${account} ${operation}`;
}

/**
 * Locks of what no other opening may decide at the same time. With the waiter keys, an event that is being recorded is either
 * seen by this opening, or sees its waiters.
 */
function lockNames(request: OpenIntent, subject: string, limits: Limits): readonly string[] {
  const { account, once } = request;
  return [
    subjectLock({ account, operation: request.operation, subject }),
    stepLock(request),
    ...request.waiterKeys,
    ...(once === undefined ? [] : [onceLock({ ...request, once })]),
    ...(limits.flow === undefined ? [] : [flowBudgetLock(request)]),
  ];
}

/** Locks of the limits that other runs count against too. */
function limitLocks({ account, budget }: OpenIntent, limits: Limits): readonly string[] {
  return [
    ...(budget === undefined ? [] : [sharedBudgetLock(budget.key)]),
    ...(limits.day === undefined && limits.floor === undefined ? [] : [accountBudgetLock(account)]),
  ];
}
