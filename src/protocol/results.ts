/**
 * What the results of several flows have in common, and what flows report on their way. Plain JSON, additive. Amounts are
 * decimal strings; `null`: not known yet.
 */
import type { CallOutcomeName } from './outcome.js';
import type { Attention, FlowState } from './names.js';

/** What a flow was charged. */
export interface Spent {
  /** Sum of the charges that are known, a decimal string. */
  readonly known: string;
  /** The part of `known` that comes from the interface's price list and not from an answer; absent where it is zero. */
  readonly listed?: string;
  /** How many charges are not known (yet). */
  readonly unknown: number;
}

/** One charged step as it ended. At most 50 are kept in a result. */
export interface Receipt {
  /** Step of the flow, like `listPublicDocuments/2`. */
  readonly step: string;
  /** Operation of the service that was called. */
  readonly operation: string;
  /** What is known of the call. */
  readonly outcome: CallOutcomeName;
  /** What this flow was charged; `"0"` where another flow or an earlier run paid; `null`: unknown. */
  readonly amount: string | null;
  /** Where `amount` is known from, when the answer did not report it: the interface's price list, or the balance. */
  readonly amountSource?: 'listed' | 'evidence';
  /** `meta.requestId` of the answer, as in the statement of the account; `null` where the answer has none. */
  readonly metaRequestId: string | null;
  /** Id of the pending work, where the service answered 202. */
  readonly requestId?: string;
  /** As in the statement of the account; `null` where the answer has none. */
  readonly searchLogId: string | null;
}

export const MAX_RECEIPTS = 50;

/** What every result and failure has beside what the flow is for. */
export interface FlowCosts {
  /** What this flow was charged. */
  readonly spent: Spent;
  /** The newest 50 charged calls, oldest first. */
  readonly receipts: readonly Receipt[];
}

/** One document of a case as a flow reports it. */
export interface DocumentResult {
  /** Id of the document at the service. */
  readonly id: string;
  /** Title, where the service gives one. */
  readonly title?: string;
  /** Kind of document, where the service gives one. */
  readonly type?: string;
  /** URI of the file: `s3://…`, or relative to the file store of the configuration: `sha256/ab/cd/<hash>`. */
  readonly stored?: string;
  /** SHA-256 of the file, hexadecimal, where it was downloaded. */
  readonly sha256?: string;
  /** Size of the file in bytes, where it was downloaded. */
  readonly bytes?: number;
  /** Why the file is missing, where it was to be downloaded. */
  readonly error?: string;
}

/**
 * Why a collection ends before its last page. `maxPages`: as asked. `loop`: a page came twice, the next link leads back, or
 * several pages came without items. `refused link`: the next link leads elsewhere and is not followed. `unsaid`: the service does
 * not say how to go on, or counts pages for an operation whose page parameter is not known. `not found`: a page behind the first
 * was answered 404; or a window was, by an answer that reports no consumption.
 */
export type PagesStop = 'maxPages' | 'loop' | 'refused link' | 'unsaid' | 'not found';

/** The progress of a flow: answer of the query `progress`, also shown as current details in the Temporal UI. */
export interface Progress {
  /** What the flow is doing now. */
  readonly state: FlowState;
  /** What it waits for, for people; `null` while it waits for nothing. */
  readonly waitingFor: string | null;
  /** ISO instant since when the flow is in this state. */
  readonly since: string;
  /** ISO instant of the next automatic check; null when only an event, a signal or a person moves it. */
  readonly nextCheckAt: string | null;
  /** Why it needs a person; `null` while it does not. */
  readonly attention: Attention | null;
  /** Ledger row of the charge that `settleCharge` decides; absent where the flow is not parked on one. */
  readonly intentId?: string;
  /** Its charged calls, oldest first. */
  readonly steps: readonly ProgressStep[];
  /** What it was charged so far. */
  readonly spent: Spent;
  /** Numbers by name, as the flow has them: `pages`, `documentPages`, `movements`, `remaining`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** One step in a flow's {@link Progress}: `OPEN` while its call is on its way, `HELD` while it waits unsent. */
export interface ProgressStep extends Pick<Receipt, 'step' | 'operation' | 'amount'> {
  /** What is known of the call; `OPEN` while it is on its way. */
  readonly outcome: CallOutcomeName | 'OPEN' | 'HELD';
  /** Id of the pending work; `null` where there is none. */
  readonly requestId: string | null;
}
