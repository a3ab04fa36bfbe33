/**
 * What a settlement does to a row: applies, tells nothing new, or contradicts what was decided. Facts are only added: a
 * figure or an id that the service told once is not erased by an answer that leaves it out. Pure.
 */
import type { Amount } from '../contract/index.js';
import { decisionOf, reservedIn } from './states.js';
import type { Intent, Settlement } from './types.js';

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
 * and the answer itself comes home late (a spool whose worker was away).
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
    agrees(intent.charged, settlement.charged) &&
    agrees(intent.requestId, settlement.requestId) &&
    agrees(intent.finalState, settlement.finalState);
  return agree || settlement.state === 'unknown' ? 'same' : 'conflict';
}

function agrees<T>(kept: T | null, told: T | null | undefined): boolean {
  return kept === null || told === null || told === undefined || kept === told;
}

function sayNothingWasPaid(settlement: Settlement): boolean {
  if (settlement.state === 'unknown' || settlement.state === 'not_sent') return true;
  return settlement.state === 'rejected' && (settlement.charged ?? 0) === 0;
}

/** The row after a settlement that applies. */
export function applySettlement(
  intent: Intent,
  settlement: Settlement,
  facts: { readonly nowMs: number; readonly bodySha256: string | undefined },
): Intent {
  const charged = chargedAfter(intent.charged, settlement.charged ?? null);
  const waiting = settlement.state === 'pending' || settlement.state === 'unknown';
  return {
    ...intent,
    state: settlement.state,
    charged,
    reserved: reservedIn(settlement.state, intent.reserved, charged),
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
    settledAtMs: waiting ? null : facts.nowMs,
    evidence: settlement.evidence === undefined ? intent.evidence : { ...intent.evidence, ...settlement.evidence },
  };
}

/**
 * A 202 and its final answer report one charge: whichever of the two names it. The larger figure stands, because a final
 * that is polled for free may truthfully say zero about itself.
 */
function chargedAfter(before: Amount | null, told: Amount | null): Amount | null {
  if (before === null || told === null) return told ?? before;
  return Math.max(before, told) as Amount;
}
