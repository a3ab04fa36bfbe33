/**
 * What a settlement does to a row: applies, says nothing new, or contradicts what was decided. Facts are only added: a
 * figure or an id that the service reported once is not erased by an answer that leaves it out. Pure.
 */
import type { Amount } from '../contract/index.js';
import type { Intent } from './intent.js';
import type { Settlement } from './settlement.js';
import { decisionOf, reservedIn } from './states.js';

export type SettlementEffect = 'apply' | 'same' | 'conflict';

export function decideSettlement(intent: Intent, settlement: Settlement): SettlementEffect {
  switch (intent.state) {
    case 'open':
    case 'unknown':
      return 'apply';
    case 'pending':
      // A 202 came back for it: it was sent.
      return settlement.state === 'not_sent' ? 'conflict' : 'apply';
    case 'charged_lost':
      return isRecovery(intent, settlement) ? 'apply' : compare(intent, settlement);
    case 'closed':
      return sayNothingWasPaid(settlement) ? 'same' : 'conflict';
    default:
      return compare(intent, settlement);
  }
}

/**
 * Paid and lost, but found again before a person decided: by free evidence; or because only the balance said that it was paid,
 * and the answer itself comes late (a spool whose worker was away).
 */
function isRecovery(intent: Intent, settlement: Settlement): boolean {
  const found = settlement.state === 'pending' || settlement.state === 'done';
  const unanswered = intent.httpStatus === null && intent.evidence?.['proof'] === 'balance';
  return found && (settlement.evidence !== undefined || unanswered) && decisionOf(intent) === undefined;
}

/** Late news of a settled row: the same again, older knowledge, or a contradiction. */
function compare(intent: Intent, settlement: Settlement): SettlementEffect {
  const older = settlement.state === 'unknown' || (settlement.state === 'pending' && intent.state !== 'not_sent');
  if (!older && settlement.state !== intent.state) return 'conflict';
  const agree =
    agrees(intent.charged, reportedCharge(settlement)) &&
    agrees(intent.requestId, settlement.requestId) &&
    agrees(intent.finalState, settlement.finalState);
  return agree || settlement.state === 'unknown' ? 'same' : 'conflict';
}

function agrees<T>(kept: T | null, reported: T | null | undefined): boolean {
  return kept === null || reported === null || reported === undefined || kept === reported;
}

function sayNothingWasPaid(settlement: Settlement): boolean {
  if (settlement.state === 'unknown' || settlement.state === 'not_sent') return true;
  return settlement.state === 'rejected' && (settlement.charged ?? 0) === 0;
}

/** The row after a settlement that applies. */
export function applySettlement(
  intent: Intent,
  settlement: Settlement,
  facts: {
    readonly nowMs: number;
    readonly bodySha256: string | undefined;
    /** What the interface says that such a call costs. */
    readonly listedPrice: Amount | undefined;
  },
): Intent {
  const charge = chargeAfter(intent, settlement, facts.listedPrice);
  const waiting = settlement.state === 'pending' || settlement.state === 'unknown';
  return {
    ...intent,
    state: settlement.state,
    ...charge,
    reserved: reservedIn(settlement.state, intent.reserved, charge.charged),
    balanceAfter: settlement.balanceAfter ?? intent.balanceAfter,
    requestId: settlement.requestId ?? intent.requestId,
    metaRequestId: settlement.metaRequestId ?? intent.metaRequestId,
    searchLogId: settlement.searchLogId ?? intent.searchLogId,
    httpStatus: settlement.httpStatus ?? intent.httpStatus,
    errorCode: settlement.errorCode ?? intent.errorCode,
    reason: settlement.reason ?? intent.reason,
    bodySha256: facts.bodySha256 ?? intent.bodySha256,
    finalState: settlement.finalState ?? intent.finalState,
    rawStatus: settlement.rawStatus ?? intent.rawStatus,
    serviceOpenedAtMs: settlement.serviceOpenedAtMs ?? intent.serviceOpenedAtMs,
    // Not before it was opened, which another clock may have said (new-intent.ts).
    settledAtMs: waiting ? null : Math.max(facts.nowMs, intent.openedAtMs),
    evidence: settlement.evidence === undefined ? intent.evidence : { ...intent.evidence, ...settlement.evidence },
  };
}

type Charge = Pick<Intent, 'charged' | 'amountSource'>;

/**
 * A 202 and its final answer report one charge: it does not matter which names it. The larger figure counts, because a final
 * that is polled for free may truthfully say zero about itself. Where an answer came and neither named it, the interface's own
 * price is booked, and said to be that (docs/decisions/0022); a call for which nothing was reserved is free.
 */
function chargeAfter(intent: Intent, settlement: Settlement, listedPrice: Amount | undefined): Charge {
  // Work that turns out to be accepted is not priced by a zero from before, either.
  const before = reportedCharge(settlement.state === 'pending' ? { ...intent, state: 'pending' } : intent);
  const reported = reportedCharge(settlement);
  if (reported !== null && (before === null || reported > before)) {
    return { charged: reported, amountSource: settlement.amountSource ?? 'told' };
  }
  if (before !== null) return { charged: before, amountSource: intent.amountSource };
  return settlement.state === 'done' && listedPrice !== undefined && intent.reserved > 0
    ? { charged: listedPrice, amountSource: 'listed' }
    : { charged: null, amountSource: null };
}

/**
 * The zero of an answer that only accepts the work (a 202, or that of a refresh that has only begun) says what was debited so
 * far, not what the work costs.
 */
function reportedCharge({
  state,
  httpStatus,
  charged = null,
}: Pick<Settlement | Intent, 'state' | 'httpStatus' | 'charged'>) {
  const isAccepted = state === 'pending' || httpStatus === 202;
  return isAccepted && charged === 0 ? null : charged;
}
