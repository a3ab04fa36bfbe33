/**
 * The types of an operation handler: request data in, verdict out. Handlers read a view of the state and change
 * nothing; the pipeline (`perform.ts`) charges, records and answers. So no handler can bypass the one charge point.
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

/** What handlers may read: the call, and the state for its account. */
export interface View {
  readonly call: OperationCall;
  readonly settings: Settings;
  /** Origins without a trailing slash. */
  readonly apiUrl: string;
  readonly documentsUrl: string;
  readonly nowMs: number;
  /** "Yesterday" is one day before this instant. */
  readonly startedAtMs: number;
  balance(): Amount;
  traits(cnj: string): CaseTraits;
  findWork(requestId: string): Work | undefined;
  worksOf(cnj: string, operation: OperationId): readonly Work[];
  isFinished(work: Work): boolean;
  finalOf(work: Work): Answer | undefined;
  /** What was paid for the work; undefined while nothing was paid. */
  paidFor(work: Work): Paid | undefined;
  findMonitor(id: string): Monitor | undefined;
  monitors(of: MonitorKind): readonly Monitor[];
  /** When the coverage of this lawyer's list began to grow; undefined before the first call. */
  coverageStartMs(oab: string): number | undefined;
  newId(): string;
}

/** A change of state that is applied together with its answer, or not at all. */
export type Effect =
  | { readonly kind: 'monitor'; readonly monitor: Monitor }
  | { readonly kind: 'coverage'; readonly oab: string; readonly startedAtMs: number; readonly callback: boolean };

export type Verdict =
  /** Nothing is charged. */
  | { readonly kind: 'refused'; readonly answer: Answer }
  /** The final answer of earlier work, unchanged: no new charge, not even new `meta`. */
  | { readonly kind: 'reproduced'; readonly answer: Answer }
  /** A price of zero is not charged; `answer` still receives the balance. */
  | {
      readonly kind: 'answered';
      readonly price: Amount;
      /** `""` when the call is about no single case. */
      readonly cnj: string;
      readonly effects: readonly Effect[];
      answer(paid: Paid): Answer;
    }
  /** 202. `work` begins when its charge is written, or before any charge if the debit comes at completion. */
  | { readonly kind: 'work'; readonly work: Work; answer(paid: Paid): Answer };

export type OperationHandler = (view: View) => Verdict;
