/**
 * Which charge belongs to which call. The undisturbed run has told what each call of a case is about, as the book names it
 * (`about`): equal calls of the killed run have equal names, also where nobody has got their answer. Pure.
 */
import type { LedgerRow } from '../../src/ledger/index.js';
import type { Charge } from '../../sandbox/index.js';
import type { FlowRun } from './types.js';

/** The charges of an undisturbed run: all of its rows know the ids of theirs. What was bought before it is not its own. */
export function chargesOfRows(
  rows: readonly LedgerRow[],
  { book, foreignRequest = '' }: { readonly book: readonly Charge[] } & Pick<FlowRun, 'foreignRequest'>,
): readonly Charge[] {
  return book.filter((charge) => charge.requestId !== foreignRequest && rows.some((row) => names(row, charge)));
}

export function names(row: LedgerRow, { searchLogId, requestId }: Charge): boolean {
  return row.searchLogId === searchLogId || (row.requestId !== null && row.requestId === requestId);
}

/** The charge of this very row: named by it, or about a call of this case and named by no other row. */
export function chargeOf(
  row: LedgerRow,
  rows: readonly LedgerRow[],
  { abouts, book }: { readonly abouts: ReadonlySet<string>; readonly book: readonly Charge[] },
): Charge | undefined {
  const named = book.find((charge) => names(row, charge));
  if (named !== undefined) return named;
  const openedAtMs = Date.parse(row.openedAt ?? '');
  const cnj = /\d{20}$/.exec(row.workflowId)?.[0];
  return book.find(
    (charge) =>
      charge.operation === row.operation &&
      abouts.has(charge.about) &&
      (cnj === undefined || charge.subject.cnj === cnj) &&
      Date.parse(charge.at) >= openedAtMs &&
      !rows.some((other) => other.intentId !== row.intentId && names(other, charge)),
  );
}

/** Charges of the killed run: of the case's calls. No other case makes equal ones. */
export function chargesOfCase(abouts: ReadonlySet<string>, book: readonly Charge[]): readonly Charge[] {
  return book.filter(({ about }) => abouts.has(about));
}
