/** A charged call of the ledger, prepared for the comparison with a statement. Pure. */
import {
  FILE_OPEN_AT_MOST_MS,
  goesByStatus,
  MINUTE_MS,
  OPEN_AT_MOST_MS,
  PENDING_AT_MOST_MS,
} from '../../contract/index.js';
import { isAdopted, isOverdue, isProvenPaid, isUndecided, type Intent } from '../../ledger/index.js';
import type { Span } from './local-time.js';

/** How far the service's clock, as its statement writes it, may be from ours. */
const STATEMENT_CLOCK_MS = 5 * MINUTE_MS;

export interface Call {
  readonly intent: Intent;
  /** Lower case. */
  readonly logId: string | undefined;
  /** The ids of its answer and of its pending work, lower case. */
  readonly requestIds: readonly string[];
  /** When its charge may have been booked. */
  readonly window: Span;
  /** Why its charge may be booked long after the call. */
  readonly late: string | undefined;
  readonly undecided: boolean;
  /** Undecided because it has been pending for too long: the service accepted it and has not reported what it costs. */
  readonly overdue: boolean;
  readonly provenPaid: boolean;
  /** The ledger knows that it was charged. */
  readonly paid: boolean;
  /** After `charged` its flow can go on: it needs no request id that only a person can find. */
  readonly canGoOn: boolean;
}

export interface CallTerms {
  readonly nowMs: number;
  /** When the service debits a query that answers 202, as configured. */
  readonly debitAt: 'answer' | 'completion' | 'unknown';
  /** Undefined if the operation is not in the catalogue. */
  readonly operationOf: (id: string) => { readonly eligible202: boolean; readonly answer: string } | undefined;
}

/** `intent` must not be a row that joined another call. */
export function callOf(intent: Intent, { nowMs, debitAt, operationOf }: CallTerms): Call {
  const operation = operationOf(intent.operation);
  const longest = operation === undefined || operation.answer === 'pdf' ? FILE_OPEN_AT_MOST_MS : OPEN_AT_MOST_MS;
  const atEnd = (operation?.eligible202 ?? true) && debitAt !== 'answer';
  const adopted = isAdopted(intent);
  const overdue = isOverdue(intent, nowMs) && !adopted;
  const opened = [intent.openedAtMs, intent.serviceOpenedAtMs ?? intent.openedAtMs];
  return {
    intent,
    logId: intent.searchLogId?.toLowerCase(),
    requestIds: [intent.metaRequestId, intent.requestId].flatMap((id) => (id === null ? [] : [id.toLowerCase()])),
    window: {
      fromMs: Math.min(...opened) - STATEMENT_CLOCK_MS,
      toMs: Math.max(...opened) + longest + STATEMENT_CLOCK_MS + (atEnd ? PENDING_AT_MOST_MS : 0),
    },
    late: lateReason(debitAt, atEnd),
    undecided: isUndecided(intent) || adopted || overdue,
    overdue,
    provenPaid: isProvenPaid(intent),
    paid: ['done', 'rejected', 'charged_lost'].includes(intent.state) && (intent.charged ?? 0) > 0,
    canGoOn: goesByStatus(intent.operation) || intent.requestId !== null,
  };
}

function lateReason(debitAt: CallTerms['debitAt'], atEnd: boolean): string | undefined {
  if (debitAt === 'unknown') return 'debitAt of the account is not configured';
  return atEnd ? 'the service may debit it only at the end of the work' : undefined;
}
