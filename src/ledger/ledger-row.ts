/** A row as `tramita ledger list --json` prints it: decimal strings, ISO times, `null` for what is unknown. Pure. */
import { formatAmount, type Amount } from '../contract/index.js';
import { pick, type Intent } from './intent.js';

const AS_THEY_ARE = [
  ...(['intentId', 'account', 'workflowId', 'firstRunId', 'step', 'ordinal', 'once', 'operation', 'subject'] as const),
  ...(['state', 'joined', 'amountSource', 'requestId', 'metaRequestId', 'searchLogId', 'httpStatus'] as const),
  ...(['bodySha256', 'evidence'] as const),
] as const;

export interface LedgerRow extends Pick<Intent, (typeof AS_THEY_ARE)[number]> {
  readonly reserved: string | null;
  readonly charged: string | null;
  readonly balanceAfter: string | null;
  readonly openedAt: string | null;
  readonly settledAt: string | null;
}

export function toLedgerRow(intent: Intent): LedgerRow {
  return {
    ...pick(intent, AS_THEY_ARE),
    reserved: decimal(intent.reserved),
    charged: decimal(intent.charged),
    balanceAfter: decimal(intent.balanceAfter),
    bodySha256: fileHashOf(intent) ?? intent.bodySha256,
    openedAt: iso(intent.openedAtMs),
    settledAt: iso(intent.settledAtMs),
  };
}

function decimal(amount: Amount | null): string | null {
  return amount === null ? null : formatAmount(amount);
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** The hash of an answer that is a file. Files are not in the database (only their 202 may be), so the row's evidence has it. */
function fileHashOf({ evidence }: Intent): string | null {
  const file = evidence?.['file'];
  const sha256: unknown = typeof file === 'object' && file !== null && 'sha256' in file ? file.sha256 : null;
  return typeof sha256 === 'string' ? sha256 : null;
}
