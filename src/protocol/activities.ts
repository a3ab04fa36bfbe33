/**
 * What flows may ask of the outside: inputs and results of every activity. Charged activities are registered under their
 * operation's id on the account's own queue, one HTTP request each, one attempt. Free activities live on the main queue
 * and are retried by the server. Plain JSON, small, without secrets and signed links.
 */
import type { FlagName, OperationId } from '../contract/operation.js';
import type { Parameters } from '../contract/route.js';
import type { ChargeDecision } from './decisions.js';
import type { CallOutcome, ChargedCallResult } from './outcome.js';
import type { DocumentResult } from './results.js';

/** Which logical step of which run a call belongs to: the unique key of its ledger row. */
export interface StepKey {
  readonly workflowId: string;
  /** Stable over resets and continue-as-new. */
  readonly firstRunId: string;
  readonly step: string;
  /** 1 for the first try of a step; a new ordinal for every further send. */
  readonly ordinal: number;
}

export interface ChargedCallInput extends StepKey {
  readonly workflowType: string;
  readonly account: string;
  readonly params: Parameters;
  /** Flags that change what is answered and paid (never the callback flag, which the activity adds by itself). */
  readonly flags: readonly FlagName[];
  readonly webhook?: boolean;
  readonly webhookPatienceMs?: number;
  readonly once?: string;
  readonly maxAgeMs?: number;
  /** Reused answers must have been settled at or after this instant, epoch ms. */
  readonly notBeforeMs?: number;
  readonly maxSpend?: string;
  /** Take the answer of this intent of another flow once it has settled. */
  readonly joinIntent?: string;
}

export interface AccountDescription {
  readonly known: boolean;
  /** Names that are configured; for the message when `known` is false. */
  readonly accounts: readonly string[];
  /** Set where the account masks case numbers: the value of the search attribute `TramitaCase`. */
  readonly caseAttribute?: string;
}

export interface AwaitFinalInput {
  readonly account: string;
  readonly intentId: string;
  readonly operation: OperationId;
  readonly params: Parameters;
  /** Absent for a refresh whose 202 carried no id: it goes by its status. */
  readonly requestId?: string;
  readonly sinceMs: number;
}

export type AwaitFinalResult =
  | { readonly kind: 'settled'; readonly call: CallOutcome }
  /** 401/403 on the poll itself. */
  | { readonly kind: 'credentials'; readonly status: number }
  /** 404/410 about the request id: the service has forgotten the work; the ledger row is `unknown` now. */
  | { readonly kind: 'forgotten'; readonly status: number };

/** Reading of a finished refresh, inside a `DONE` outcome. */
export interface RefreshReading {
  readonly state: 'done' | 'empty' | 'failed';
  readonly rawStatus: string | null;
  /** When we knew, epoch ms by our clock. */
  readonly finishedAtMs: number;
  /** When the service says it was, by its clock; null where it does not say. */
  readonly serviceTimeMs: number | null;
}

/** Reading of one page of the documents list: no links. */
export interface DocumentsReading {
  readonly documents: readonly { readonly id: string; readonly title?: string; readonly type?: string }[];
  /** How many stand on this page; more than `documents` holds when `cut`. */
  readonly count: number;
  readonly cut: boolean;
  readonly total: number | null;
  readonly hasMore: boolean;
}

export interface ResolveUnknownInput extends StepKey {
  readonly account: string;
  readonly operation: OperationId;
  readonly params: Parameters;
  /** Known when the activity returned; absent after a timeout or a worker's death. */
  readonly intentId?: string;
}

export interface SettleFromSpoolInput {
  readonly account: string;
  readonly intentId: string;
  readonly operation: OperationId;
  readonly params: Parameters;
}

export interface RecordDecisionInput {
  readonly intentId: string;
  readonly decision: ChargeDecision;
  readonly by: string;
  readonly note?: string;
  readonly requestId?: string;
}

export interface DownloadInput {
  readonly account: string;
  readonly cnj: string;
  /** Ledger row of the list page whose stored answer holds the links. */
  readonly intentId: string;
  readonly page: number;
  /** Only these documents; all of the page when absent. */
  readonly only?: readonly string[];
}

export interface DownloadResult {
  readonly documents: readonly DocumentResult[];
  /** Documents whose signed link has expired: only a paid new listing can bring them. */
  readonly expired: readonly string[];
}

/** Charged activities, by operation id. */
export type ChargedActivities = Readonly<
  Record<'requestRefresh' | 'listPublicDocuments', (input: ChargedCallInput) => Promise<ChargedCallResult>>
>;

/** Free activities of the main queue. All may be repeated at will. */
export interface FreeActivities {
  /** Local: is this account configured, and does it mask case numbers? */
  describeAccount(input: { readonly account: string; readonly cnj?: string }): Promise<AccountDescription>;
  /** One poll an attempt; "not yet" is a retryable BENIGN failure with its own delay. */
  awaitFinal(input: AwaitFinalInput): Promise<AwaitFinalResult>;
  /** Closes the door, waits out the call, reads the ledger: what is known now. */
  resolveUnknown(input: ResolveUnknownInput): Promise<CallOutcome>;
  /** Settles an answer that only the spool has. */
  settleFromSpool(input: SettleFromSpoolInput): Promise<CallOutcome>;
  /** Writes a person's decision into the ledger and wakes flows that are parked on the row. */
  recordDecision(input: RecordDecisionInput): Promise<void>;
  /** Fetches the files of one list page, with a heartbeat per file. */
  downloadDocuments(input: DownloadInput): Promise<DownloadResult>;
}
