/** What flows return and report. Plain JSON, additive. Amounts are decimal strings; `null` means that nobody knows yet. */
import type { CallOutcomeName } from './outcome.js';
import type { Attention, FlowState } from './names.js';

/** `known`: sum of charges that the service told. `unknown`: number of charges that it has not told (yet). */
export interface Spent {
  readonly known: string;
  readonly unknown: number;
}

/** One charged step as it ended. At most 50 are kept in a result. */
export interface Receipt {
  readonly step: string;
  readonly operation: string;
  readonly outcome: CallOutcomeName;
  /** What this flow was charged; `"0"` where another flow or an earlier run paid; `null` where nobody knows. */
  readonly amount: string | null;
  readonly metaRequestId: string | null;
  readonly requestId?: string;
  readonly searchLogId: string | null;
}

export const MAX_RECEIPTS = 50;

/** One document of a case as a flow reports it. */
export interface DocumentResult {
  readonly id: string;
  readonly title?: string;
  readonly type?: string;
  /** Path below the files directory: `sha256/ab/cd/<hash>`. */
  readonly stored?: string;
  readonly sha256?: string;
  readonly bytes?: number;
  readonly error?: string;
}

export interface RefreshCaseResult {
  readonly cnj: string;
  readonly status: 'done';
  readonly rawStatus: string | null;
  /** ISO 8601 instant at which the refresh was known to be finished. */
  readonly refreshedAt: string;
  /** True when the refresh had been paid for before (by `maxAge`, `once` or another flow) and nothing was sent. */
  readonly reused: boolean;
  readonly documents: readonly DocumentResult[];
  /** How many documents the service says there are, else how many were listed. */
  readonly documentCount: number;
  readonly moreDocuments: boolean;
  /** Present and true when lists were cut to keep the result small; the whole is in the database. */
  readonly truncated?: true;
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}

/** Where the cases of a portfolio's round stand. Each refresh has its own receipts. */
export interface RefreshPortfolioResult {
  readonly done: number;
  readonly failed: number;
  /** Refreshes that wait for a person; they are not waited for. */
  readonly parked: number;
  /** A run of the case with another input was under way. */
  readonly skipped: number;
  /** Not started: start again to go on. */
  readonly remaining: number;
  /** Why cases remain: a cap was reached, or the account cannot buy (balance, credentials). */
  readonly stoppedBy?: 'budget' | 'account';
  /** What the refreshes that this round started were charged. */
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}

/** Answer of the query `progress`; also shown as current details in the Temporal UI. */
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

export interface ProgressStep {
  readonly step: string;
  readonly operation: string;
  readonly outcome: CallOutcomeName | 'OPEN';
  readonly amount: string | null;
  readonly requestId: string | null;
}
