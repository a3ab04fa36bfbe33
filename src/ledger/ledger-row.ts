/** A row as `tramita ledger list --json` prints it: decimal strings, ISO times, `null` for what is unknown. Pure. */
import { formatAmount, type Amount } from '../contract/index.js';
import type { AmountSource, Intent, IntentState } from './types.js';

export interface LedgerRow {
  readonly intentId: string;
  readonly account: string;
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly step: string;
  readonly ordinal: number;
  readonly once: string | null;
  readonly operation: string;
  readonly subject: string;
  readonly state: IntentState;
  readonly joined: string | null;
  readonly reserved: string | null;
  readonly charged: string | null;
  /** `null` where no charge is known, and where another row carries it. */
  readonly amountSource: AmountSource | null;
  readonly balanceAfter: string | null;
  readonly requestId: string | null;
  readonly metaRequestId: string | null;
  readonly searchLogId: string | null;
  readonly httpStatus: number | null;
  readonly bodySha256: string | null;
  readonly openedAt: string | null;
  readonly settledAt: string | null;
  readonly evidence: Readonly<Record<string, unknown>> | null;
}

export function toLedgerRow(intent: Intent): LedgerRow {
  return {
    intentId: intent.intentId,
    account: intent.account,
    workflowId: intent.workflowId,
    firstRunId: intent.firstRunId,
    step: intent.step,
    ordinal: intent.ordinal,
    once: intent.once,
    operation: intent.operation,
    subject: intent.subject,
    state: intent.state,
    joined: intent.joined,
    reserved: decimal(intent.reserved),
    charged: decimal(intent.charged),
    amountSource: intent.amountSource,
    balanceAfter: decimal(intent.balanceAfter),
    requestId: intent.requestId,
    metaRequestId: intent.metaRequestId,
    searchLogId: intent.searchLogId,
    httpStatus: intent.httpStatus,
    bodySha256: fileHashOf(intent) ?? intent.bodySha256,
    openedAt: iso(intent.openedAtMs),
    settledAt: iso(intent.settledAtMs),
    evidence: intent.evidence,
  };
}

function decimal(amount: Amount | null): string | null {
  return amount === null ? null : formatAmount(amount);
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** An answer that is a file is not in the database, where only its 202 may be: the row remembers its hash. */
function fileHashOf({ evidence }: Intent): string | null {
  const file = evidence?.['file'];
  const sha256: unknown = typeof file === 'object' && file !== null && 'sha256' in file ? file.sha256 : null;
  return typeof sha256 === 'string' ? sha256 : null;
}
