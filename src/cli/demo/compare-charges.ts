/**
 * Compares our ledger with the service's own book of charges, row by row to the 1/10,000. Two rows match if they have the same
 * operation and the same `searchLogId`, which the service gives to every charged call. Pure.
 */
import { formatAmount } from '../../contract/index.js';

export interface LedgerCharge {
  readonly operation: string;
  readonly searchLogId: string | null;
  /** Integer of 1/10,000; null if the service did not report it. */
  readonly charged: number | null;
}

export interface BookCharge {
  readonly operation: string;
  readonly searchLogId: string;
  readonly amount: number;
}

interface ComparedRow {
  readonly operation: string;
  /** Decimal strings; null if that side has no such charge, or does not know its amount. */
  readonly ledger: string | null;
  readonly book: string | null;
}

export interface Comparison {
  readonly equal: boolean;
  readonly rows: readonly ComparedRow[];
  readonly ledger: { readonly count: number; readonly sum: string };
  readonly book: { readonly count: number; readonly sum: string };
}

export function compareCharges(ledger: readonly LedgerCharge[], book: readonly BookCharge[]): Comparison {
  const unmatched = [...book];
  const rows = ledger.map((row): ComparedRow => {
    const at = unmatched.findIndex(
      ({ searchLogId, operation }) => searchLogId === row.searchLogId && operation === row.operation,
    );
    const [found] = at === -1 ? [] : unmatched.splice(at, 1);
    return { operation: row.operation, ledger: decimal(row.charged), book: decimal(found?.amount ?? null) };
  });
  const all = [
    ...rows,
    ...unmatched.map(({ operation, amount }): ComparedRow => ({ operation, ledger: null, book: decimal(amount) })),
  ];
  return {
    equal: all.length > 0 && all.every((row) => row.ledger !== null && row.ledger === row.book),
    rows: all,
    ledger: total(ledger.map(({ charged }) => charged ?? 0)),
    book: total(book.map(({ amount }) => amount)),
  };
}

function decimal(amount: number | null): string | null {
  return amount === null ? null : formatAmount(amount);
}

function total(amounts: readonly number[]): { readonly count: number; readonly sum: string } {
  return { count: amounts.length, sum: formatAmount(amounts.reduce((sum, amount) => sum + amount, 0)) };
}
