/** What the states of an intent mean for reservations, copies and waiters. Pure. */
import { ZERO_AMOUNT, type Amount } from '../contract/index.js';
import type { Intent, IntentState } from './types.js';

/** Nothing moves these any more; events about them are of no use. */
const FINAL: readonly IntentState[] = ['done', 'rejected', 'not_sent', 'closed'];

export function isFinal(state: IntentState): boolean {
  return FINAL.includes(state);
}

/** The row that holds the charge: the row itself, or the one whose answer it took. */
export function rootOf(intent: Intent): string {
  return intent.joined ?? intent.intentId;
}

export function decisionOf(intent: Intent): unknown {
  return intent.evidence?.['decision'];
}

/**
 * Pending by a free look, by a balance or by a person's word instead of by a 202 of its own: it may turn out not to be ours, so
 * a person may decide about it until it is final.
 */
export function isAdopted({ state, evidence }: Pick<Intent, 'state' | 'evidence'>): boolean {
  return state === 'pending' && isAdoptedBy(evidence);
}

function isAdoptedBy(evidence: Intent['evidence']): boolean {
  return evidence?.['adopted'] !== undefined || evidence?.['decision'] === 'charged' || isProvenBy(evidence);
}

/** The balance has shown that it was charged: no word can say that it was not. */
export function isProvenPaid({ evidence, charged }: Pick<Intent, 'evidence' | 'charged'>): boolean {
  return isProvenBy(evidence) && (charged ?? 0) > 0;
}

function isProvenBy(evidence: Intent['evidence']): boolean {
  return evidence?.['proof'] === 'balance' && evidence['decision'] !== 'not-charged';
}

/** What stays reserved once a row is in `state`: a figure is held for as long as nobody knows the charge. */
export function reservedIn(state: IntentState, reserved: Amount, charged: Amount | null): Amount {
  switch (state) {
    case 'rejected':
    case 'not_sent':
      return ZERO_AMOUNT;
    case 'done':
    case 'charged_lost':
      return charged === null ? reserved : ZERO_AMOUNT;
    default:
      return reserved;
  }
}

/** `copy` as it is once its original has become `root`: the same facts, none of the money. */
export function followRoot(copy: Intent, root: Intent): Intent {
  return {
    ...copy,
    state: root.state,
    requestId: root.requestId,
    metaRequestId: root.metaRequestId,
    searchLogId: root.searchLogId,
    httpStatus: root.httpStatus,
    errorCode: root.errorCode,
    reason: root.reason,
    bodySha256: root.bodySha256,
    finalState: root.finalState,
    rawStatus: root.rawStatus,
    settledAtMs: root.settledAtMs,
    evidence: root.evidence,
  };
}
