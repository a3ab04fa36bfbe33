/** Applies a person's decision to an undecided row, or says why that is refused. Pure. */
import type { ChargeDecision, SettleChargeInput } from '../protocol/index.js';
import { DAY_MS, PENDING_AT_MOST_MS, ZERO_AMOUNT, present } from '../contract/index.js';
import { isAnswerDropped } from './answer-dropped.js';
import type { Intent } from './intent.js';
import { decisionOf } from './states.js';
import { isAdopted, isOverdue, isProvenPaid, isUndecided } from './undecided.js';
import { earlierDecisions } from './without-end.js';

export type Decision = Pick<SettleChargeInput, 'decision' | 'by' | 'note' | 'requestId'>;

export interface DecisionTerms {
  readonly nowMs: number;
  /** The work can be followed without a request id, by its status (a refresh). */
  readonly byStatus: boolean;
  /** The other calls of the account to which the ledger attributes the decision's request id. */
  readonly requestOf?: readonly Intent[];
}

export type Decided =
  | { readonly kind: 'changed'; readonly intent: Intent }
  /** Decided the same way before. */
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly problem: string };

export function decideCharge(intent: Intent, decision: Decision, terms: DecisionTerms): Decided {
  const requestId = decision.requestId?.toLowerCase();
  if (isDecidedAs(intent, decision.decision, requestId)) return { kind: 'same' };
  const problem = decisionProblem(intent, decision, terms);
  if (problem !== undefined) {
    return { kind: 'refused', problem: `intent ${intent.intentId} (step "${intent.step}") ${problem}` };
  }
  const earlier = decisionOf(intent) === undefined ? undefined : earlierDecisions(intent);
  const evidence = {
    ...intent.evidence,
    ...present({ earlier }),
    // `was` stays `charged_lost` for every flow that shares the row, also after a later decision in another state.
    was: intent.evidence?.['was'] === 'charged_lost' ? 'charged_lost' : intent.state,
    decision: decision.decision,
    by: decision.by,
    note: decision.note ?? null,
    requestId: requestId ?? null,
    at: new Date(terms.nowMs).toISOString(),
  };
  return { kind: 'changed', intent: { ...intent, ...outcomeOf(intent, decision, terms, requestId), evidence } };
}

/** Paid, but its answer was deleted on purpose: the row stays as it is, and the flow that asked for it may give it up. */
function isPaidAndDropped(intent: Intent): boolean {
  return intent.state === 'done' && isAnswerDropped(intent);
}

/** Has a decision that stands. A row that is unknown again after its decision may be decided again. */
function isDecided(intent: Intent): boolean {
  return decisionOf(intent) !== undefined && intent.state !== 'unknown';
}

function isDecidedAs(intent: Intent, decision: ChargeDecision, requestId: string | undefined): boolean {
  if (isPaidAndDropped(intent)) return decision === 'abandon';
  const isSame = decisionOf(intent) === decision && (requestId ?? null) === (intent.evidence?.['requestId'] ?? null);
  return isSame && isDecided(intent);
}

function decisionProblem(
  intent: Intent,
  { decision, requestId }: Decision,
  { nowMs, requestOf = [] }: DecisionTerms,
): string | undefined {
  if (isPaidAndDropped(intent)) {
    return 'was paid, and retention or an erasure has dropped its answer: only "abandon" ends the flow; to buy again, start it with another `once`';
  }
  const adopted = isAdopted(intent);
  if (isDecided(intent) && !adopted) {
    return `was decided before: ${JSON.stringify(decisionOf(intent))} by ${JSON.stringify(intent.evidence?.['by'])}`;
  }
  // Work that the service accepted (202) is polled. If the service forgets it, the row becomes `unknown`.
  if (!adopted && !isUndecided(intent) && !isOverdue(intent, nowMs)) {
    return `is ${intent.state}; only these rows can be decided: unknown, charged_lost, and pending ones that evidence or a person has adopted, or whose charge was not reported for ${PENDING_AT_MOST_MS / DAY_MS} days`;
  }
  if (decision === 'not-charged' && isProvenPaid(intent)) {
    return 'was charged: the balance has proved it, so "not-charged" would pay twice; decide "charged" with the requestId, or "abandon"';
  }
  if (requestId !== undefined && decision !== 'charged') {
    return 'was given a requestId, which goes only with the decision "charged"';
  }
  const other = requestOf.find((call) => holdsItsRequest(call) && !isEqualCall(call, intent));
  return other === undefined ? undefined : requestProblem(other);
}

/** A request that only a person gave to the call may have been the mistake: it is the call's own until the work has ended. */
function holdsItsRequest({ state, evidence }: Intent): boolean {
  return state === 'pending' || (decisionOf({ evidence }) === undefined && evidence?.['earlier'] === undefined);
}

function requestProblem({ operation, workflowId, intentId, evidence }: Intent): string {
  const problem = `was given the request of another call, ${operation} of workflow "${workflowId}": its answer is not about this one`;
  if (decisionOf({ evidence }) === undefined) return problem;
  return `${problem}; ${JSON.stringify(evidence?.['by'])} named it for that call: if that was wrong, decide intent ${intentId} again first`;
}

/** Equal calls may share a request: the service may answer both with one. */
function isEqualCall(
  one: Pick<Intent, 'operation' | 'subject'>,
  other: Pick<Intent, 'operation' | 'subject'>,
): boolean {
  return one.operation === other.operation && one.subject === other.subject;
}

function outcomeOf(
  intent: Intent,
  { decision }: Decision,
  { nowMs, byStatus }: DecisionTerms,
  requestId: string | undefined,
): Pick<Intent, 'state' | 'reserved' | 'requestId' | 'settledAtMs'> {
  const { reserved } = intent;
  switch (decision) {
    case 'not-charged':
      return { state: 'closed', reserved: ZERO_AMOUNT, requestId: intent.requestId, settledAtMs: nowMs };
    case 'charged':
      // A refresh without a request id is followed by its status, which is free. Other work without an id cannot be fetched.
      return requestId !== undefined || byStatus || (intent.state === 'pending' && intent.requestId !== null)
        ? { state: 'pending', reserved, requestId: requestId ?? intent.requestId, settledAtMs: null }
        : { state: 'charged_lost', reserved, requestId: intent.requestId, settledAtMs: nowMs };
    case 'abandon':
      // The charge stays unknown and keeps counting against the caps.
      return { state: 'closed', reserved, requestId: intent.requestId, settledAtMs: nowMs };
  }
}
