/**
 * What an operation handler is: request data in, verdict out. Handlers read a view of the state and change nothing; the
 * pipeline (`perform.ts`) charges, records and answers. So the one charge point cannot be passed by.
 */
import type { Amount, Operation, OperationId } from '../../src/contract/index.js';
import type { Answer, Paid } from '../answer.js';
import type { CaseTraits } from '../cases/personas.js';
import type { AccountName } from '../keys.js';
import type { Settings } from '../settings.js';
import type { Monitor, MonitorKind } from '../state/monitors.js';
import type { Arguments, Work } from '../state/works.js';

export interface OperationCall extends Arguments {
  readonly operation: Operation;
  readonly account: AccountName;
  readonly keyHash: string;
}

/** What handlers may look at: the call, and the state as it is for its account. */
export interface View {
  readonly call: OperationCall;
  readonly settings: Settings;
  /** Origins without a trailing slash. */
  readonly apiUrl: string;
  readonly documentsUrl: string;
  readonly nowMs: number;
  /** "Yesterday" is one day before this. */
  readonly startedAtMs: number;
  balance(): Amount;
  traits(cnj: string): CaseTraits;
  findWork(requestId: string): Work | undefined;
  worksOf(cnj: string, operation: OperationId): readonly Work[];
  isFinished(work: Work): boolean;
  finalOf(work: Work): Answer | undefined;
  /** What was paid for the work; undefined while nothing was. */
  paidFor(work: Work): Paid | undefined;
  findMonitor(id: string): Monitor | undefined;
  monitors(of: MonitorKind): readonly Monitor[];
  /** When the coverage of this lawyer's list began to grow; undefined before the first call. */
  coverageStartMs(oab: string): number | undefined;
  newId(): string;
}

/** A change of state that goes with an answer, or does not happen. */
export type Effect =
  | { readonly kind: 'monitor'; readonly monitor: Monitor }
  | { readonly kind: 'coverage'; readonly oab: string; readonly startedAtMs: number; readonly callback: boolean };

export type Verdict =
  /** Nothing is charged. */
  | { readonly kind: 'refused'; readonly answer: Answer }
  /** The final answer of earlier work, as it was: no new charge, not even new `meta`. */
  | { readonly kind: 'reproduced'; readonly answer: Answer }
  /** A price of zero is no charge; `answer` is told the balance all the same. */
  | {
      readonly kind: 'answered';
      readonly price: Amount;
      /** `""` when the call is about no single case. */
      readonly cnj: string;
      readonly effects: readonly Effect[];
      answer(paid: Paid): Answer;
    }
  /** 202: `work` begins when the charge is written (or will be, with a debit at completion). */
  | { readonly kind: 'work'; readonly work: Work; answer(paid: Paid): Answer };

export type OperationHandler = (view: View) => Verdict;
