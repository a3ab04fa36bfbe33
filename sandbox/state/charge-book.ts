/**
 * The charge book: the truth about money. Every charge of the service is one row, written at one explicit point, before
 * any byte of the answer; rows are never changed except by the later remark how much of the answer left the machine.
 * Amounts are integers of 1/10,000.
 */
import { type Amount, type OperationId } from '../../src/contract/index.js';
import type { Paid } from '../answer.js';
import type { AccountName } from '../keys.js';
import type { Journal } from './journal.js';

/** How much of the answer to the charged call was handed to the network; null while it is being written. */
export type Flushed = 'none' | 'part' | 'all';

export interface Charge {
  /** 1, 2, …; goes on after a restart and after a reset. */
  readonly n: number;
  /** ISO time by the sandbox's clock. */
  readonly at: string;
  readonly operation: OperationId;
  readonly account: AccountName;
  readonly keyHash: string;
  readonly subject: { readonly cnj: string };
  readonly amount: Amount;
  readonly balanceAfter: Amount;
  /** UUID of the pending work that was paid, if any. */
  readonly requestId: string | null;
  readonly metaRequestId: string;
  readonly searchLogId: string;
  /** Of the final answer (of a 202: the reproduced final, known beforehand); null when there will never be one. */
  readonly bodySha256: string | null;
  /** Number of the TCP connection; null for a debit at completion and after a restart. */
  readonly connection: number | null;
  readonly flushed: Flushed | null;
}

export interface ChargeBook {
  list(): readonly Charge[];
  balance(account: AccountName): Amount;
  /** The number that the next charge will have. */
  nextNumber(): number;
  /** The charge point. `beside`: a line that must not exist without this charge, nor the charge without it. */
  charge(row: Charge, beside?: object): void;
  noteFlushed(n: number, flushed: Flushed): void;
  chargeOf(requestId: string): Charge | undefined;
}

export function createChargeBook(deps: {
  readonly journal: Journal;
  readonly kept: readonly Charge[];
  readonly firstNumber: number;
  readonly openings: Readonly<Record<AccountName, Amount>>;
}): ChargeBook {
  const { journal, kept, firstNumber, openings } = deps;
  const rows: Charge[] = [];
  const byRequest = new Map<string, number>();
  const spent: Record<AccountName, number> = { sandbox: 0, empty: 0 };
  const add = (row: Charge): void => {
    if (row.requestId !== null) byRequest.set(row.requestId, rows.length);
    spent[row.account] += row.amount;
    rows.push(row);
  };
  kept.forEach(add);

  return {
    list: () => rows,
    balance: (account) => (openings[account] - spent[account]) as Amount,
    nextNumber: () => firstNumber + rows.length,
    charge(row, beside) {
      journal.append([{ kind: 'charge', ...row }, ...(beside === undefined ? [] : [beside])], { durable: true });
      add(row);
    },
    noteFlushed(n, flushed) {
      const index = n - firstNumber;
      const row = rows[index];
      if (row === undefined) return;
      rows[index] = { ...row, flushed };
      journal.append([{ kind: 'flushed', n, flushed }], { durable: false });
    },
    chargeOf(requestId) {
      const index = byRequest.get(requestId);
      return index === undefined ? undefined : rows[index];
    },
  };
}

export function paidOf(charge: Charge): Paid {
  return {
    charged: charge.amount,
    balanceAfter: charge.balanceAfter,
    metaRequestId: charge.metaRequestId,
    searchLogId: charge.searchLogId,
  };
}
