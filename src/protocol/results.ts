/**
 * What the results of several flows have in common, and what flows report on their way. Plain JSON, additive. Amounts are
 * decimal strings; `null`: not known yet.
 */
import type { CallOutcomeName } from './outcome.js';
import type { Attention, FlowState } from './names.js';

/**
 * What a flow was charged. `known`: sum of the charges that are known; `listed`: what of it stands in the interface's price list
 * and was not told, absent where that is nothing. `unknown`: number of charges that are not known (yet).
 */
export interface Spent {
  readonly known: string;
  readonly listed?: string;
  readonly unknown: number;
}

/** One charged step as it ended. At most 50 are kept in a result. */
export interface Receipt {
  readonly step: string;
  readonly operation: string;
  readonly outcome: CallOutcomeName;
  /** What this flow was charged; `"0"` where another flow or an earlier run paid; `null`: unknown. */
  readonly amount: string | null;
  /** Where `amount` is known from, when the answer did not tell it: the interface's price list, or the balance. */
  readonly amountSource?: 'listed' | 'evidence';
  readonly metaRequestId: string | null;
  readonly requestId?: string;
  readonly searchLogId: string | null;
}

export const MAX_RECEIPTS = 50;

/** What every result and failure tells beside what the flow is for. */
export interface FlowCosts {
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}

/** One document of a case as a flow reports it. */
export interface DocumentResult {
  readonly id: string;
  readonly title?: string;
  readonly type?: string;
  /** URI of the file: `s3://…`, or relative to the file store of the configuration: `sha256/ab/cd/<hash>`. */
  readonly stored?: string;
  readonly sha256?: string;
  readonly bytes?: number;
  readonly error?: string;
}

/**
 * Why a collection ends before its last page. `maxPages`: as asked. `loop`: a page came twice. `refused link`: the next link
 * leads elsewhere and is not followed. `unsaid`: the service does not tell how to go on.
 */
export type PagesStop = 'maxPages' | 'loop' | 'refused link' | 'unsaid';

/** Where a flow stands: answer of the query `progress`, also shown as current details in the Temporal UI. */
export interface Progress {
  readonly state: FlowState;
  readonly waitingFor: string | null;
  /** ISO instant since when the flow is in this state. */
  readonly since: string;
  /** ISO instant of the next look by itself; null when only an event, a signal or a person moves it. */
  readonly nextCheckAt: string | null;
  readonly attention: Attention | null;
  readonly steps: readonly ProgressStep[];
  readonly spent: Spent;
  readonly counts: Readonly<Record<string, number>>;
}

/** One step in a flow's {@link Progress}: `OPEN` while its call is on its way, `HELD` while it waits unsent. */
export interface ProgressStep extends Pick<Receipt, 'step' | 'operation' | 'amount'> {
  readonly outcome: CallOutcomeName | 'OPEN' | 'HELD';
  readonly requestId: string | null;
}
