/**
 * The intent: written before a charged call's socket opens, in one transaction of at most four round trips (begin with
 * locks, look up, insert, commit). Holding the locks of the call, the step and every limit that is checked, no other
 * opening can decide on the same facts meanwhile. It never sends; when it throws, nothing may be sent.
 */
import { ZERO_AMOUNT, expectedPrice, isCharged, statedPrice } from '../contract/index.js';
import { insertWaiters, intentKey } from '../inbox/index.js';
import { withLocks, type Database } from '../store/index.js';
import { decideHold } from './account-hold.js';
import { decideBudget, limitsOf, type Limits } from './decide-budget.js';
import { decideOpening, type Opening } from './decide-opening.js';
import { insertIntent } from './insert-intent.js';
import type { IntentVerdict } from './intent-verdict.js';
import { holdOfLife } from './life/decide-life.js';
import { accountBudgetLock, flowBudgetLock, onceLock, sharedBudgetLock, stepLock, subjectLock } from './lock-names.js';
import { lookUp } from './look-up.js';
import { buildJoined, buildOpen, buildShut, type NewRow } from './new-intent.js';
import type { OpenIntent } from './opening-request.js';
import type { LedgerContext } from './settings.js';
import { subjectToken } from './subject.js';

export function openIntent(context: LedgerContext, request: OpenIntent): Promise<IntentVerdict> {
  const { db, settings, catalogue, memory } = context;
  const operation = catalogue.operationOf(request.operation);
  const free = !isCharged(operation, request.params);
  const subject = subjectToken(context, request);
  const nowMs = context.clock();
  const limits = limitsOf(settings, request);
  return withLocks(db, lockNames(request, subject, limits), async (trx) => {
    const wanted = {
      flow: limits.flow !== undefined,
      day: limits.day !== undefined,
      floor: limits.floor !== undefined,
      price: !free && statedPrice(settings.prices, operation) === undefined,
    };
    const found = await lookUp(trx, { request, subject, nowMs, wanted, witness: memory.witness() });
    const opening = decideOpening(request, { subject, free }, found);
    // The caller knows the row's id before there is an answer: a lost commit acknowledgement can be settled by it.
    const row = { intentId: request.attemptToken, subject, nowMs };
    switch (opening.kind) {
      case 'answer':
        return opening.verdict;
      case 'join':
        return writeJoined(trx, request, row, opening);
      case 'wait':
        return writeWaiter(trx, request, nowMs, opening);
      case 'shut': {
        const shut = buildShut(request, row);
        await insertIntent(trx, { row: shut, nowMs, eventsSinceMs: nowMs });
        return { kind: 'closed', intent: shut.intent };
      }
      case 'send': {
        const lost = free ? undefined : holdOfLife(found.life, memory.epoch(), nowMs);
        const held = lost ?? decideHold(found.hold, { free, nowMs });
        if (held !== undefined) return { kind: 'account held', ...held };
        const { highestCharge } = found.figures;
        const reserved = free ? ZERO_AMOUNT : expectedPrice(settings.prices, operation, highestCharge);
        const over = decideBudget(reserved, limits, found.figures);
        if (over !== undefined) return over;
        const opened = buildOpen(request, { ...row, reserved });
        await insertIntent(trx, { row: opened, nowMs, eventsSinceMs: nowMs });
        return { kind: 'send', intent: opened.intent };
      }
    }
  });
}

/** The waiter keys too: an event that is being recorded is either seen by this opening, or sees its waiters. */
function lockNames(request: OpenIntent, subject: string, limits: Limits): readonly string[] {
  const { account, once } = request;
  return [
    subjectLock({ account, operation: request.operation, subject }),
    stepLock(request),
    ...request.waiterKeys,
    ...(once === undefined ? [] : [onceLock({ ...request, once })]),
    ...(limits.flow === undefined ? [] : [flowBudgetLock(request)]),
    ...(request.budget === undefined ? [] : [sharedBudgetLock(request.budget.key)]),
    ...(limits.day === undefined && limits.floor === undefined ? [] : [accountBudgetLock(account)]),
  ];
}

async function writeJoined(
  trx: Database,
  request: OpenIntent,
  row: NewRow,
  { from }: Extract<Opening, { readonly kind: 'join' }>,
): Promise<IntentVerdict> {
  const joined = buildJoined(request, row, from);
  const eventSeen = await insertIntent(trx, {
    row: joined,
    nowMs: row.nowMs,
    eventsSinceMs: from.intent.openedAtMs,
  });
  const { intent } = joined;
  if (intent.state === 'closed') return { kind: 'closed', intent };
  return { kind: 'stored', intent, reused: true, eventSeen: intent.state === 'pending' && eventSeen };
}

async function writeWaiter(
  trx: Database,
  request: OpenIntent,
  nowMs: number,
  { on, verdict }: Extract<Opening, { readonly kind: 'wait' }>,
): Promise<IntentVerdict> {
  // A copy never moves by itself: what settles is its original.
  const awaited = on.joined ?? on.intentId;
  const keys = [intentKey(awaited)];
  await insertWaiters({ workflowId: request.workflowId, intentId: awaited, keys, nowMs }).execute(trx);
  return { kind: verdict, intent: { ...on, intentId: awaited, joined: null } };
}
