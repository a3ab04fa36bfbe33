/**
 * The activities that flows may call, with their inputs and results. A charged activity is registered under the id of its
 * operation on the account's own queue: one HTTP request, one attempt. Free activities run on the main queue, and the server
 * retries them. All of this is plain JSON, small, without secrets and signed links.
 */
import type { OperationId } from '../contract/operation.js';
import type { Parameters } from '../contract/route.js';
import type { FinishCollectionInput, OpenCollectionInput, OpenedCollection } from './activities/collections.js';
import type { DownloadInput, DownloadResult } from './activities/downloads.js';
import type {
  CommitImportInput,
  CommittedImport,
  ReadLawyerPagesInput,
  ReadLawyerPagesResult,
  SaveFirstPageInput,
  SaveFirstPageResult,
} from './activities/lawyers.js';
import type {
  AuditMonitorsInput,
  AuditMonitorsReport,
  EnsurePlan,
  ListingRefused,
  PlanNoticeMonitorInput,
} from './activities/monitors.js';
import type {
  FindNoticeTextsInput,
  NoticesPlan,
  PlanNoticesInput,
  SaveNoticeTextInput,
  SaveNoticesInput,
  SaveNoticesResult,
} from './activities/notices.js';
import type { DispatchInput, DispatchResult } from './activities/portfolio.js';
import type {
  AccountDescription,
  AwaitFinalInput,
  AwaitFinalResult,
  AwaitReleaseInput,
  CallDescription,
  CallSubject,
  ChargedCallInput,
  DescribeCallInput,
  DoubtPendingInput,
  FoundRequest,
  LookUpRefreshInput,
  LookUpRefreshResult,
  RecordDecisionInput,
  ResolveUnknownInput,
  SettleFromSpoolInput,
  StepKey,
  StepOfFlow,
} from './activities/step.js';
import type { CallOutcome, ChargedCallResult, UnexpectedRead } from './outcome.js';

export type ChargedActivity = (input: ChargedCallInput) => Promise<ChargedCallResult>;

/** Activities by operation id: every operation of the catalogue, and those that configuration adds. */
export type ChargedActivities = Readonly<Record<OperationId, ChargedActivity>> &
  Readonly<Record<string, ChargedActivity>>;

/** A Worker Deployment Version of Temporal. */
export interface WorkerVersion {
  readonly deploymentName: string;
  readonly buildId: string;
}

/** Free activities of the main queue. All may be repeated at will. */
export interface FreeActivities {
  /** Local: is this account configured, and does it mask case numbers? */
  describeAccount(input: { readonly account: string; readonly cnj?: string }): Promise<AccountDescription>;
  /** Local: may this call be made as asked, and what is it? Sends nothing. */
  describeCall(input: DescribeCallInput): Promise<CallDescription>;
  /** Local: do all new flows go to this version of the workers? */
  isSettledVersion(version: WorkerVersion): Promise<boolean>;
  /** Which row of our ledger has this request id, if any? */
  findRequest(input: { readonly account: string; readonly requestId: string }): Promise<FoundRequest>;
  /** Begins a collection, or continues one that has not ended. */
  openCollection(input: OpenCollectionInput): Promise<OpenedCollection>;
  finishCollection(input: FinishCollectionInput): Promise<void>;
  /** Has a refresh with public documents of this case ended, is one under way? From our own books. */
  lookUpRefresh(input: LookUpRefreshInput): Promise<LookUpRefreshResult>;
  /** Was this step paid, or may it have been: in this run before a reset, or under its `once`? */
  mayBePaid(step: StepOfFlow): Promise<boolean>;
  /** One poll per attempt; "not yet" is a retryable BENIGN failure with its own delay. */
  awaitFinal(input: AwaitFinalInput): Promise<AwaitFinalResult>;
  /** Makes adopted pending work that no poll has confirmed `unknown` again. */
  doubtPending(input: DoubtPendingInput): Promise<CallOutcome>;
  /**
   * Waits until held calls are released: one look per attempt; "not yet" as for the poll. Returns what its read of the balance was
   * charged; older workers do not report it.
   */
  awaitRelease(input: AwaitReleaseInput): Promise<{ readonly unexpected: UnexpectedRead } | undefined>;
  /** Closes the step's row, so that a late attempt sends nothing; waits until the call is over; reads the ledger. */
  resolveUnknown(input: ResolveUnknownInput): Promise<CallOutcome>;
  /** Reads the listing before a call whose result is found by it. */
  takeListing(
    input: StepKey & CallSubject,
  ): Promise<{ readonly complete: boolean; readonly unexpected?: UnexpectedRead }>;
  /** Settles a call whose answer is only in the spool. */
  settleFromSpool(input: SettleFromSpoolInput): Promise<CallOutcome>;
  /** Writes a person's decision into the ledger and wakes flows that are parked on the row. */
  recordDecision(input: RecordDecisionInput): Promise<void>;
  /** Brings a file from this worker's disk to the file store, or waits until another worker has; "not yet" as for the poll. */
  keepFile(input: { readonly sha256: string }): Promise<void>;
  /** Downloads the files of one list page, with a heartbeat per file. */
  downloadDocuments(input: DownloadInput): Promise<DownloadResult>;
  /** Local: parameters of the lawyer's list under their configured names. */
  describeLawyer(input: { readonly oab: string; readonly pageSize?: number }): Promise<Parameters>;
  /** Copies page 1 from its stored answer into the staging, or into the provisional rows. */
  saveFirstPage(input: SaveFirstPageInput): Promise<SaveFirstPageResult>;
  /** Reads a chunk of free pages into the staging. */
  readLawyerPages(input: ReadLawyerPagesInput): Promise<ReadLawyerPagesResult>;
  /** Makes the staged set the one that readers see; returns how many cases it has. */
  commitImport(input: CommitImportInput): Promise<CommittedImport>;
  /** Plans the queries of a sync of notices from the watermarks. */
  planNotices(input: PlanNoticesInput): Promise<NoticesPlan>;
  /** Stores the notices of a stored answer, and moves the watermarks. */
  saveNotices(input: SaveNoticesInput): Promise<SaveNoticesResult>;
  findNoticeTexts(
    input: FindNoticeTextsInput,
  ): Promise<{ readonly publicationIds: readonly string[]; readonly left: number }>;
  saveNoticeText(input: SaveNoticeTextInput): Promise<void>;
  /** Lists notice monitors (free) and says what is to be done. */
  planNoticeMonitor(input: PlanNoticeMonitorInput): Promise<EnsurePlan | ListingRefused>;
  auditMonitors(input: AuditMonitorsInput): Promise<AuditMonitorsReport | ListingRefused>;
  /** One shift of a portfolio: starts refreshes and waits for their ends, with a heartbeat. */
  dispatchPortfolio(input: DispatchInput): Promise<DispatchResult>;
}
