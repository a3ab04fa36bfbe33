/**
 * What a settlement does to a row: it applies, says nothing new, or contradicts what was decided. Facts are only added: an answer
 * that omits a figure or an id does not erase one that was reported earlier. Pure.
 */
import type { Amount } from '../contract/index.js';
import type { Intent } from './intent.js';
import type { SettlementSource } from './ledger.js';
import type { Settlement } from './settlement.js';
import { decisionOf, reservedIn, settledNow } from './states.js';
import { hasKnownCharge } from './undecided.js';
import { withoutEnd } from './without-end.js';

export type SettlementEffect = 'apply' | 'same' | 'conflict';

export function decideSettlement(intent: Intent, settlement: Settlement, source?: SettlementSource): SettlementEffect {
  switch (intent.state) {
    case 'open':
    case 'unknown':
      return 'apply';
    case 'pending':
      // A 202 came back for it: it was sent.
      if (settlement.state === 'not_sent') return 'conflict';
      return isOutdated(settlement, source) ? 'same' : 'apply';
    case 'charged_lost':
      return isRecovery(intent, settlement) ? 'apply' : compare(intent, settlement);
    case 'closed':
      return saysNothingWasPaid(settlement) ? 'same' : 'conflict';
    default:
      return compare(intent, settlement);
  }
}

/** Says less than the row, which has become pending since: its work is polled. */
function isOutdated({ state }: Settlement, source: SettlementSource | undefined): boolean {
  return source === 'evidence' || (source === 'call' && state === 'unknown');
}

/**
 * A paid and lost answer that was found again before a person decided: by free evidence, or because only the balance had proved
 * the charge and the answer itself comes late (from the spool of a worker that was away).
 */
function isRecovery(intent: Intent, settlement: Settlement): boolean {
  const isFound = settlement.state === 'pending' || settlement.state === 'done';
  const isUnanswered = intent.httpStatus === null && intent.evidence?.['proof'] === 'balance';
  return isFound && (settlement.evidence !== undefined || isUnanswered) && decisionOf(intent) === undefined;
}

/** Late news of a settled row: the same again, older knowledge, or a contradiction. */
function compare(intent: Intent, settlement: Settlement): SettlementEffect {
  const isOlder = settlement.state === 'unknown' || (settlement.state === 'pending' && intent.state !== 'not_sent');
  if (!isOlder && settlement.state !== intent.state) return 'conflict';
  const isSame =
    agrees(intent.charged, reportedCharge(settlement)) &&
    agrees(intent.requestId, settlement.requestId) &&
    agrees(intent.finalState, settlement.finalState);
  return isSame || settlement.state === 'unknown' ? 'same' : 'conflict';
}

function agrees<T>(kept: T | null, reported: T | null | undefined): boolean {
  return kept === null || reported === null || reported === undefined || kept === reported;
}

function saysNothingWasPaid(settlement: Settlement): boolean {
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
    /** The interface's list price of such a call. */
    readonly listedPrice: Amount | undefined;
  },
): Intent {
  const charge = chargeAfter(intent, settlement, facts.listedPrice);
  // The log id is that of the charge: that of an answer which adds none may be another call's (logged-charge.ts).
  const keptLogId = hasKnownCharge(intent) && charge.charged === intent.charged ? intent.searchLogId : null;
  return {
    ...intent,
    ...charge,
    ...progress(intent, settlement, facts.nowMs),
    reserved: reservedIn(settlement.state, intent.reserved, charge.charged),
    balanceAfter: settlement.balanceAfter ?? intent.balanceAfter,
    requestId: settlement.requestId ?? intent.requestId,
    metaRequestId: settlement.metaRequestId ?? intent.metaRequestId,
    searchLogId: keptLogId ?? settlement.searchLogId ?? intent.searchLogId,
    httpStatus: settlement.httpStatus ?? intent.httpStatus,
    errorCode: settlement.errorCode ?? intent.errorCode,
    reason: settlement.reason ?? intent.reason,
    bodySha256: facts.bodySha256 ?? intent.bodySha256,
    finalState: settlement.finalState ?? intent.finalState,
    rawStatus: settlement.rawStatus ?? intent.rawStatus,
    serviceOpenedAtMs: settlement.serviceOpenedAtMs ?? intent.serviceOpenedAtMs,
  };
}

function progress(
  intent: Intent,
  { state, evidence: added }: Settlement,
  nowMs: number,
): Pick<Intent, 'state' | 'settledAtMs' | 'evidence'> {
  const wasLost = intent.state === 'charged_lost' && state === 'pending' ? { was: 'charged_lost' } : undefined;
  const evidence =
    added === undefined && wasLost === undefined ? intent.evidence : { ...intent.evidence, ...wasLost, ...added };
  if (state === 'unknown' && intent.state === 'pending') return withoutEnd({ ...intent, evidence }, nowMs);
  const settledAtMs = state === 'pending' || state === 'unknown' ? null : settledNow(intent, nowMs);
  return { state, settledAtMs, evidence };
}

type Charge = Pick<Intent, 'charged' | 'amountSource'>;

/**
 * A 202 and its final answer report one charge, and either may name it. The larger figure counts, because a final answer that is
 * polled for free may truthfully report zero for itself. If neither names one, the interface's list price is booked and marked
 * `listed` (docs/decisions/0022). A call for which nothing was reserved is free.
 */
function chargeAfter(intent: Intent, settlement: Settlement, listedPrice: Amount | undefined): Charge {
  // A zero that was reported before does not price work that turns out to be accepted.
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
 * The charge that an answer reports. A zero counts as none if the answer only accepts the work (a 202, or a refresh that has just
 * begun): it is what was debited so far, not what the work costs.
 */
function reportedCharge({
  state,
  httpStatus,
  charged = null,
}: Pick<Settlement | Intent, 'state' | 'httpStatus' | 'charged'>) {
  const isAccepted = state === 'pending' || httpStatus === 202;
  return isAccepted && charged === 0 ? null : charged;
}
