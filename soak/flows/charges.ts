/** Which charges belong to the undisturbed run of a case. Pure. */
import type { Charge } from '../../sandbox/index.js';
import type { LedgerRow } from '../../src/ledger/index.js';
import type { FlowRun } from './types.js';

/**
 * Charges of a run. All of its rows know the ids of their charges. A charge that was bought before the run is not its own.
 * Equal calls of the killed run have the same name in the book (`about`), even when their answer was lost.
 */
export function chargesOfRun(
  { workflowIds, foreignRequest = '' }: FlowRun,
  ledger: readonly LedgerRow[],
  book: readonly Charge[],
): readonly Charge[] {
  const rows = rowsOfRun(workflowIds, ledger);
  return book.filter((charge) => charge.requestId !== foreignRequest && rows.some((row) => names(row, charge)));
}

/** Rows that made a call themselves, oldest first. */
export function rowsOfRun(workflowIds: readonly string[], ledger: readonly LedgerRow[]): readonly LedgerRow[] {
  return ledger.filter((row) => row.joined === null && workflowIds.includes(row.workflowId)).reverse();
}

export function names(row: LedgerRow, { searchLogId, requestId }: Charge): boolean {
  return row.searchLogId === searchLogId || (row.requestId !== null && row.requestId === requestId);
}
