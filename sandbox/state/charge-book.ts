/**
 * The charge book: the truth about money. Every charge of the service is one row, written at one explicit point, before
 * any byte of the answer. Rows never change, except that a later note says how much of the answer left the machine.
 * Amounts are integers of 1/10,000. With a journal on disk only the latest rows stay in memory; older ones are read
 * from the file on demand.
 */
import { randomUUID } from 'node:crypto';
import type { Amount, OperationId } from '../../src/contract/index.js';
import type { Paid } from '../answer.js';
import type { AccountName } from '../keys.js';
import type { Journal } from './journal.js';

/** How much of the answer to the charged call was handed to the network; null while it is being written. */
export type Flushed = 'none' | 'part' | 'all';

/** One charge of the service, as recorded in the charge book. */
export interface Charge {
  /** 1, 2, …; continues after a restart and after a reset. */
  readonly n: number;
  /** ISO time by the sandbox's clock. */
  readonly at: string;
  /** Catalogue id of the call. */
  readonly operation: OperationId;
  /** Account of the key. */
  readonly account: AccountName;
  /** Hash of the API key, never the key. */
  readonly keyHash: string;
  /** `cnj`: 20 digits, or `""` when the call is about no single case. */
  readonly subject: { readonly cnj: string };
  /** Hash of operation and arguments; a recurring debit has the monitor's id instead. */
  readonly about: string;
  /** Reason: an answer, the end of work that is debited then, or another month of a monitor. */
  readonly reason: 'answer' | 'completion' | 'recurring';
  /** In ten-thousandths of the currency. */
  readonly amount: Amount;
  /** Balance after the charge, in ten-thousandths of the currency. */
  readonly balanceAfter: Amount;
  /** UUID of the pending work that was paid, if any. */
  readonly requestId: string | null;
  /** Id of the charged call, `meta.requestId` of its answer. */
  readonly metaRequestId: string;
  /** Entry of the consumption log, `meta.searchLogId` of the answer. */
  readonly searchLogId: string;
  /** Hash of the final answer (of a 202: the reproduced final, known beforehand); null when there will never be one. */
  readonly bodySha256: string | null;
  /** Number of the TCP connection; null for a debit without an answer, and after a restart. */
  readonly connection: number | null;
  /** How much of the answer was handed to the network; null while it is being written. */
  readonly flushed: Flushed | null;
}

/** Input of a charge; the book adds number, time and the texts of `paid`. */
export interface ChargeFacts extends Pick<
  Charge,
  'operation' | 'account' | 'keyHash' | 'about' | 'reason' | 'requestId' | 'bodySha256' | 'connection'
> {
  readonly cnj: string;
  readonly paid: Paid;
}

export interface ChargeBook {
  /** All charges since the last reset, oldest first; reads the file when there are many. */
  list(): readonly Charge[];
  count(): number;
  /** Sum of all charges since the last reset. */
  total(): Amount;
  balance(account: AccountName): Amount;
  /** The number that the next charge will have. */
  nextNumber(): number;
  /** What a debit of `amount` would report now; books nothing. An amount of zero is a free call. */
  quote(account: AccountName, amount: Amount): Paid;
  /** The charge point; returns the number. `beside`: lines that are written atomically with this charge. */
  charge(facts: ChargeFacts, beside?: readonly object[]): number;
  noteFlushed(n: number, flushed: Flushed): void;
  /** What was paid for pending work; undefined while nothing was paid. */
  paidFor(requestId: string): Paid | undefined;
}

/** Rows that stay in memory when the file has them too. */
const IN_MEMORY = 10_000;

export function createChargeBook(deps: {
  readonly journal: Journal;
  readonly nowMs: () => number;
  readonly kept: readonly Charge[];
  readonly firstNumber: number;
  readonly openings: Readonly<Record<AccountName, Amount>>;
  /** Reads every row since the last reset back from the journal's file. */
  readonly readBack: () => readonly Charge[];
}): ChargeBook {
  const { journal, kept, firstNumber, openings } = deps;
  const recent = new Map<number, Charge>();
  /** Payments for pending work only, whose final repeats what was paid. */
  const byRequest = new Map<string, Paid>();
  const spent: Record<AccountName, number> = { sandbox: 0, empty: 0 };
  let count = 0;
  const add = (row: Charge): void => {
    count += 1;
    if (row.requestId !== null) byRequest.set(row.requestId, paidOf(row));
    spent[row.account] += row.amount;
    recent.set(row.n, row);
    if (journal.onDisk) recent.delete(row.n - IN_MEMORY);
  };
  kept.forEach(add);
  const balance = (account: AccountName): Amount => (openings[account] - spent[account]) as Amount;

  return {
    list: () => (recent.size === count ? [...recent.values()] : deps.readBack()),
    count: () => count,
    total: () => (spent.sandbox + spent.empty) as Amount,
    balance,
    nextNumber: () => firstNumber + count,
    quote: (account, amount) => ({
      charged: amount,
      balanceAfter: (balance(account) - amount) as Amount,
      metaRequestId: randomUUID(),
      searchLogId: amount === 0 ? null : randomUUID(),
    }),
    charge({ paid, cnj, ...facts }, beside = []) {
      const row: Charge = {
        n: firstNumber + count,
        at: new Date(deps.nowMs()).toISOString(),
        ...facts,
        subject: { cnj },
        amount: paid.charged,
        balanceAfter: paid.balanceAfter,
        metaRequestId: paid.metaRequestId,
        searchLogId: paid.searchLogId ?? '',
        flushed: null,
      };
      journal.append([{ kind: 'charge', ...row }, ...beside], { durable: true });
      add(row);
      return row.n;
    },
    noteFlushed(n, flushed) {
      const row = recent.get(n);
      if (row !== undefined) recent.set(n, { ...row, flushed });
      journal.append([{ kind: 'flushed', n, flushed }], { durable: false });
    },
    paidFor: (requestId) => byRequest.get(requestId),
  };
}

function paidOf(charge: Charge): Paid {
  return {
    charged: charge.amount,
    balanceAfter: charge.balanceAfter,
    metaRequestId: charge.metaRequestId,
    searchLogId: charge.searchLogId,
  };
}
