/**
 * The intent: written before a charged call's socket opens, in one transaction of two round trips (begin with locks and a
 * look; write and commit). Holding the locks of the call and the step, no other opening can decide on the same facts
 * meanwhile. Limits that other runs count against are the last to be locked, in the message that looks at their sums, writes
 * the row and commits (docs/decisions/0039). It never sends; when it throws, nothing may be sent.
 */
import { ZERO_AMOUNT, isCharged, statedPrice, type Amount } from '../contract/index.js';
import { insertWaiters, intentKey } from '../inbox/index.js';
import { lookAndWrite, takeLocks, type Ending } from '../store/index.js';
import { termsOf } from './call-terms.js';
import { decideBudget, limitsOf, NO_LIMITS, roomFor, type Limits } from './decide-budget.js';
import { decideOpening, type Opening } from './decide-opening.js';
import { buildInsertion, buildReservation, type Inserted, type Reserved } from './insert-intent.js';
import type { IntentVerdict } from './intent-verdict.js';
import { accountBudgetLock, flowBudgetLock, onceLock, sharedBudgetLock, stepLock, subjectLock } from './lock-names.js';
import { buildLookUp, readLookUp, type LookUp } from './look-up.js';
import { buildJoined, buildOpen, buildShut, type NewRow } from './new-intent.js';
import type { OpenIntent } from './opening-request.js';
import type { LedgerContext } from './settings.js';
import { subjectToken } from './subject.js';

type Decided = Ending<IntentVerdict>;

export function openIntent(context: LedgerContext, request: OpenIntent): Promise<IntentVerdict> {
  const { db, settings, catalogue, memory } = context;
  const operation = catalogue.operationOf(request.operation);
  const free = !isCharged(operation, request.params);
  const subject = subjectToken(context, request);
  const nowMs = context.clock();
  const limits = limitsOf(settings, request);
  const wanted = {
    flow: limits.flow !== undefined,
    price: !free && statedPrice(settings.prices, operation) === undefined,
  };
  const look = buildLookUp({ request, subject, nowMs, wanted, witness: memory.witness() });
  return lookAndWrite(db, { locks: takeLocks(lockNames(request, subject, limits)), look }, (rows): Decided => {
    const found = readLookUp(rows);
    const opening = decideOpening(request, { subject, free }, found);
    // The caller knows the row's id before there is an answer: a lost commit acknowledgement can be settled by it.
    const row = { intentId: request.attemptToken, subject, nowMs };
    switch (opening.kind) {
      case 'answer':
        return answer(opening.verdict);
      case 'join':
        return writeJoined(request, row, opening);
      case 'wait':
        return writeWaiter(request, nowMs, opening);
      case 'shut': {
        const shut = buildShut(request, row);
        const { intent } = shut;
        return { write: [buildInsertion({ row: shut, nowMs })], then: () => ({ kind: 'closed', intent }) };
      }
      case 'send': {
        const { hold, reserved } = termsOf(context, { operation, free, nowMs }, found);
        if (hold !== undefined) return answer({ kind: 'account held', ...hold });
        return reserve(request, { ...row, reserved }, { limits, found });
      }
    }
  });
}

/** Of what no other opening may decide at the same time. The waiter keys too: an event that is being recorded is either seen by this opening, or sees its waiters. */
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

/** Limits that other runs count against as well. The holder of these locks waits for no other one. */
function limitLocks({ account, budget }: OpenIntent, limits: Limits): readonly string[] {
  return [
    ...(budget === undefined ? [] : [sharedBudgetLock(budget.key)]),
    ...(limits.day === undefined && limits.floor === undefined ? [] : [accountBudgetLock(account)]),
  ];
}

function answer(verdict: IntentVerdict): Decided {
  return { write: [], then: () => verdict };
}

function reserve(
  request: OpenIntent,
  row: NewRow & { readonly reserved: Amount },
  { limits, found: { flowSpent } }: { readonly limits: Limits; readonly found: LookUp },
): Decided {
  const { reserved, nowMs } = row;
  const flowOver = decideBudget(reserved, { ...NO_LIMITS, flow: limits.flow }, { ...NO_SUMS, flowSpent });
  if (flowOver !== undefined) return answer(flowOver);
  const opened = buildOpen(request, row);
  const locks = limitLocks(request, limits);
  const insertion = { row: opened, nowMs };
  const send = { kind: 'send', intent: opened.intent } as const;
  if (locks.length === 0) return { write: [buildInsertion(insertion)], then: () => send };
  return {
    write: [takeLocks(locks), buildReservation(insertion, roomFor(reserved, limits))],
    then: ([written]) => {
      const { isWritten, ...sums } = written as Reserved;
      if (isWritten) return send;
      const over = decideBudget(reserved, limits, { ...sums, flowSpent });
      if (over === undefined) throw new Error('tramita: a call was not written, and no limit stands in its way');
      return over;
    },
  };
}

const NO_SUMS = { sharedSpent: ZERO_AMOUNT, daySpent: ZERO_AMOUNT, lastBalance: null, held: ZERO_AMOUNT };

function writeJoined(request: OpenIntent, row: NewRow, { from }: Extract<Opening, { readonly kind: 'join' }>): Decided {
  const joined = buildJoined(request, row, from);
  const { intent } = joined;
  return {
    write: [buildInsertion({ row: joined, nowMs: row.nowMs, eventsSinceMs: from.intent.openedAtMs })],
    then: ([inserted]) => {
      if (intent.state === 'closed') return { kind: 'closed', intent };
      const { eventSeen } = inserted as Inserted;
      return { kind: 'stored', intent, reused: true, eventSeen: intent.state === 'pending' && eventSeen };
    },
  };
}

function writeWaiter(
  request: OpenIntent,
  nowMs: number,
  { on, verdict }: Extract<Opening, { readonly kind: 'wait' }>,
): Decided {
  // A copy never moves by itself: what settles is its original.
  const awaited = on.joined ?? on.intentId;
  const keys = [intentKey(awaited)];
  return {
    write: [insertWaiters({ workflowId: request.workflowId, intentId: awaited, keys, nowMs })],
    then: () => ({ kind: verdict, intent: { ...on, intentId: awaited, joined: null } }),
  };
}
