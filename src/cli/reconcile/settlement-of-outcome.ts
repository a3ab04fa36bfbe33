/** The outcome of a call in a history → the settlement of its restored row. Pure. */
import { parseAmount } from '../../contract/index.js';
import type { Settlement } from '../../ledger/index.js';
import type { CallOutcome, RefreshReading } from '../../protocol/index.js';

const STATES = { CHARGED_LOST: 'charged_lost', REJECTED: 'rejected', NOT_SENT: 'not_sent' } as const;

/** Undefined if the restored row already says as much: unknown, or pending with its request id. */
export function settlementOfOutcome(outcome: CallOutcome): Settlement | undefined {
  const charged = outcome.charged === null ? null : (parseAmount(outcome.charged) ?? null);
  const { requestId = null, metaRequestId = null, searchLogId = null, status = null, errorCode = null } = outcome;
  const facts = {
    charged,
    requestId,
    metaRequestId,
    searchLogId,
    errorCode,
    httpStatus: status,
    evidence: { proof: 'history', by: 'tramita (reconcile)' },
  };
  switch (outcome.outcome) {
    case 'DONE': {
      const refresh = refreshIn(outcome.reading);
      if (refresh !== undefined) return { ...facts, state: 'done', ...refresh };
      return { ...facts, state: 'charged_lost', reason: 'its answer was lost with the ledger' };
    }
    case 'CHARGED_LOST':
    case 'REJECTED':
    case 'NOT_SENT':
      return { ...facts, state: STATES[outcome.outcome], reason: outcome.reason ?? null };
    case 'PENDING':
    case 'UNKNOWN':
      return undefined;
  }
}

/** The answer of a refresh is only its final state, which the reading has. */
function refreshIn(reading: unknown): Pick<Settlement, 'finalState' | 'rawStatus'> | undefined {
  if (typeof reading !== 'object' || reading === null || !('finishedAtMs' in reading)) return undefined;
  const { state, rawStatus } = reading as RefreshReading;
  return { finalState: state, rawStatus };
}
