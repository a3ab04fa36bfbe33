/**
 * What an operation handler is: request data in, verdict out. Handlers read a view of the state and change nothing; the
 * pipeline (`perform.ts`) charges, records and answers. So the one charge point cannot be passed by.
 */
import type { Amount, Operation } from '../../src/contract/index.js';
import type { Answer, Paid } from '../answer.js';
import type { AccountName } from '../keys.js';
import type { Settings } from '../settings.js';
import type { Refresh } from '../state/refreshes.js';

export interface OperationCall {
  readonly operation: Operation;
  readonly account: AccountName;
  readonly keyHash: string;
  /** Checked parameters; `cnj` is 20 digits. */
  readonly params: Readonly<Record<string, string>>;
  readonly flags: { readonly documents: boolean; readonly callback: boolean };
}

/** What handlers may look at. */
export interface View {
  readonly settings: Settings;
  /** Origins without a trailing slash. */
  readonly apiUrl: string;
  readonly documentsUrl: string;
  readonly nowMs: number;
  /** "Yesterday" is one day before this. */
  readonly startedAtMs: number;
  balance(): Amount;
  findRefresh(requestId: string): Refresh | undefined;
  refreshesOf(cnj: string): readonly Refresh[];
  isFinished(refresh: Refresh): boolean;
  /** What was paid for the refresh; undefined while nothing was. */
  paidFor(refresh: Refresh): Paid | undefined;
  newId(): string;
}

export type Verdict =
  /** Nothing is charged. */
  | { readonly kind: 'refused'; readonly answer: Answer }
  /** Free: `answer` is told the balance in `paid`. */
  | { readonly kind: 'free'; answer(paid: Paid): Answer }
  /** The final answer of earlier work, as it was: no new charge, not even new `meta`. */
  | { readonly kind: 'reproduced'; readonly answer: Answer }
  | { readonly kind: 'charged'; readonly price: Amount; readonly cnj: string; answer(paid: Paid): Answer }
  /** 202: `refresh` begins when the charge is written (or will be, with a debit at completion). */
  | { readonly kind: 'work'; readonly refresh: Refresh; answer(paid: Paid): Answer };

export type OperationHandler = (call: OperationCall, view: View) => Verdict;
