/** What flows return and report. Plain JSON, additive. Amounts are decimal strings; `null` means that nobody knows yet. */
import type { CallOutcomeName } from './outcome.js';
import type { Attention, FlowState } from './names.js';

/**
 * What a flow was charged. `known`: sum of the charges that are known; `listed`: what of it stands in the interface's price list
 * and was not told, absent where that is nothing. `unknown`: number of charges that nobody has told (yet).
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
  /** What this flow was charged; `"0"` where another flow or an earlier run paid; `null` where nobody knows. */
  readonly amount: string | null;
  /** Where `amount` is known from, when the answer did not tell it: the interface's price list, or the balance. */
  readonly amountSource?: 'listed' | 'evidence';
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

/** Result of `refreshCase`: the refreshed case, and its documents where they were asked for. */
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

/** Days whose notices can no longer be had by a query. */
export interface NoticeGap {
  readonly from: string;
  readonly to: string;
  readonly days: number;
}

/** Result of `importLawyerCases`: the list that readers see now, and what it took to get one that did not change under the way. */
export interface ImportLawyerCasesResult {
  /** `cobertura.atualizadoEm` of the imported list, as sent. */
  readonly version: string | null;
  /** Cases that readers see now. */
  readonly cases: number;
  readonly pages: number;
  /** How often the list changed under the import. */
  readonly restarts: number;
  /** How often page 1 was bought. */
  readonly paidChecks: number;
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}

/** Result of `syncNotices`: how many notices came, and up to which day all are read. */
export interface SyncNoticesResult {
  /** Notices that were not known before. */
  readonly new: number;
  /** Notices in the answers, repeated ones included. */
  readonly seen: number;
  /** Civil day (São Paulo) up to which all registrations are read now. */
  readonly watermark: string;
  readonly fullTexts: number;
  /** Texts that did not fit into this run: they come with the next one. */
  readonly textsLeft?: number;
  /** Alarm: the last success is longer ago than a query reaches back. */
  readonly gap?: NoticeGap;
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}

/** Result of `ensureNoticeMonitor`, `createRadar` and `createCaseMonitor`: the monitor, and what was done for it. */
export interface MonitorResult {
  readonly monitor: {
    readonly id: string | null;
    readonly status: string | null;
    readonly callback?: { readonly enabled: boolean | null; readonly mode: string | null };
    readonly billing?: { readonly monthlyPrice: string };
  };
  /** Every monitor, where the input has several registrations. */
  readonly monitors?: readonly { readonly id: string | null; readonly status: string | null }[];
  readonly action: 'created' | 'activated' | 'updated' | 'unchanged';
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}

/** Result of `deactivateMonitor`: the status that the service tells afterwards. */
export interface DeactivateMonitorResult {
  readonly status: string;
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}

/** One monitor that an audit names. */
export interface MonitorFound {
  readonly kind: string;
  readonly id: string;
  /** The caller's own name, where it has one. */
  readonly reference?: string;
  readonly status: string | null;
  readonly monthlyPrice: string | null;
}

/** Result of `auditMonitors`: what bills at the service beside what was asked for here. */
export interface AuditMonitorsResult {
  /** Active monitors that this installation asked for. */
  readonly known: number;
  /** Billing, and nobody asked for them here. */
  readonly orphans: readonly MonitorFound[];
  /** Asked for here, and not active at the service. */
  readonly missing: readonly MonitorFound[];
  /** Kinds without a listing. */
  readonly notAuditable: readonly string[];
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}

/** Result of `refreshPortfolio`: where the cases of its round stand. Each refresh has its own receipts. */
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

/** One step in a flow's {@link Progress}; `OPEN` while nobody knows its end. */
export interface ProgressStep {
  readonly step: string;
  readonly operation: string;
  readonly outcome: CallOutcomeName | 'OPEN';
  readonly amount: string | null;
  readonly requestId: string | null;
}
