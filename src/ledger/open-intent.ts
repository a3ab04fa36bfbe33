/**
 * Writes the intent before a charged call's socket opens, in one transaction. It holds the locks of the call and the step, so no
 * other opening can decide on the same facts. Limits that other runs count against are locked last, and the statement that writes
 * the row reads their sums (docs/decisions/0039). It never sends; when it throws, nothing may be sent.
 *
 * Two round trips (begin with locks and a look-up; write and commit), or one if nothing stands in its way (open-at-once.ts).
 */
import { ZERO_AMOUNT, type Amount } from '../contract/index.js';
import { insertWaiters, intentKey } from '../inbox/index.js';
import { lookAndWrite, takeLocks, type Ending } from '../store/index.js';
import { termsOf } from './call-terms.js';
import { decideBudget, NO_LIMITS, roomFor, type Limits } from './decide-budget.js';
import { decideOpening, type Opening } from './decide-opening.js';
import { buildInsertion, buildReservation, type Inserted, type Reserved } from './insert-intent.js';
import type { IntentVerdict } from './intent-verdict.js';
import { buildLookUp, readLookUp, type LookUp } from './look-up.js';
import { buildJoined, buildOpen, buildShut, type NewRow } from './new-intent.js';
import { openAtOnce } from './open-at-once.js';
import { callToOpen, type CallToOpen } from './call-to-open.js';
import type { OpenIntent } from './opening-request.js';
import type { LedgerContext } from './settings.js';

type Decided = Ending<IntentVerdict>;

export async function openIntent(context: LedgerContext, request: OpenIntent): Promise<IntentVerdict> {
  const call = callToOpen(context, request);
  return (await openAtOnce(context, call)) ?? openByLook(context, call);
}

function openByLook(context: LedgerContext, call: CallToOpen): Promise<IntentVerdict> {
  const { request, operation, free, subject, nowMs, limits, locks } = call;
  return lookAndWrite(context.db, { locks: takeLocks(locks.own), look: buildLookUp(call.look) }, (rows): Decided => {
    const found = readLookUp(rows);
    if (call.look.wanted.price) context.highestCharges.set(call.priceKey, found.highestCharge);
    const opening = decideOpening(request, { subject, free }, found);
    // The caller knows the row's id in advance and can settle the row even if the acknowledgement of the commit was lost.
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
        return reserve(call, { ...row, reserved }, { limits, found });
      }
    }
  });
}

function answer(verdict: IntentVerdict): Decided {
  return { write: [], then: () => verdict };
}

function reserve(
  { request, locks }: CallToOpen,
  row: NewRow & { readonly reserved: Amount },
  { limits, found: { flowSpent } }: { readonly limits: Limits; readonly found: LookUp },
): Decided {
  const { reserved, nowMs } = row;
  const flowOver = decideBudget(reserved, { ...NO_LIMITS, flow: limits.flow }, { ...NO_SUMS, flowSpent });
  if (flowOver !== undefined) return answer(flowOver);
  const kept = buildOpen(request, row);
  const insertion = { row: kept, nowMs };
  const send = (version: string): IntentVerdict => ({ kind: 'send', intent: kept.intent, row: { kept, version } });
  if (locks.ofLimits.length === 0) {
    return { write: [buildInsertion(insertion)], then: ([inserted]) => send((inserted as Inserted).version) };
  }
  return {
    write: [takeLocks(locks.ofLimits), buildReservation(insertion, roomFor(reserved, limits))],
    then: ([written]) => {
      const { version, ...sums } = written as Reserved;
      if (version !== null) return send(version);
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
      return { kind: 'stored', intent, eventSeen: intent.state === 'pending' && eventSeen };
    },
  };
}

function writeWaiter(
  request: OpenIntent,
  nowMs: number,
  { on, verdict }: Extract<Opening, { readonly kind: 'wait' }>,
): Decided {
  // A copy is never settled by itself, only its original is.
  const awaited = on.joined ?? on.intentId;
  const keys = [intentKey(awaited)];
  return {
    write: [insertWaiters({ workflowId: request.workflowId, intentId: awaited, keys, nowMs })],
    then: () => ({ kind: verdict, intent: { ...on, intentId: awaited, joined: null } }),
  };
}
