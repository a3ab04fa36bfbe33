/** The public columns of the ledger, in order, as every command prints them. */
import type { LedgerRow } from '../../ledger/index.js';

export const LEDGER_COLUMNS = [
  ...(['intentId', 'account', 'workflowId', 'firstRunId', 'step', 'once', 'operation', 'subject'] as const),
  ...([
    'state',
    'joined',
    'reserved',
    'charged',
    'amountSource',
    'balanceAfter',
    'requestId',
    'metaRequestId',
  ] as const),
  ...(['searchLogId', 'httpStatus', 'bodySha256', 'openedAt', 'settledAt', 'evidence'] as const),
] as const satisfies readonly (keyof LedgerRow)[];

type PublicRow = Pick<LedgerRow, (typeof LEDGER_COLUMNS)[number]>;

/** Leaves out the notes of people, which may name someone: they stay in the table. */
export function publicRow(row: LedgerRow): PublicRow {
  const columns = Object.fromEntries(LEDGER_COLUMNS.map((column) => [column, row[column]])) as PublicRow;
  return { ...columns, evidence: columns.evidence === null ? null : withoutNotes(columns.evidence) };
}

type Evidence = NonNullable<LedgerRow['evidence']>;

function withoutNotes({ note: _note, ...evidence }: Evidence): Evidence {
  const { earlier } = evidence;
  return Array.isArray(earlier)
    ? { ...evidence, earlier: (earlier as readonly Evidence[]).map(withoutNotes) }
    : evidence;
}
