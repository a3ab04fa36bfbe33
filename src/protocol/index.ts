/**
 * Door of the protocol: everything that crosses Temporal. Both sides load it, so it imports only `@temporalio/common`,
 * the pure contract values and contract *types*; a zod value, `node:*` or a client, worker or activity package here would
 * break the workflow bundle.
 *
 * Glossary: *operation*: one method and path of the service. *Charged call*: one HTTP request that may cost
 * money. *Intent*: the ledger row written before a charged call's socket opens. *Outcome*: what is known after a call.
 * *Settle*: bring an intent to a final outcome. *Parked*: waiting for a person, at no cost. *Account*: one API key with
 * its balance. *Amount*: money, integer of 1/10,000 inside, decimal string outside. *Step*: one logical charged call of a
 * flow; its *ordinal* counts the sends. *Waiter*: a row saying which workflow waits for which key.
 */
export type { ChargedActivities, ChargedActivity, FreeActivities } from './activities.js';
export type {
  StepKey,
  CallSubject,
  ChargedCallInput,
  AccountDescription,
  AwaitReleaseInput,
  AttemptFacts,
  AwaitFinalInput,
  AwaitFinalResult,
  FoundRequest,
  LookUpRefreshResult,
  ResolveUnknownInput,
  SettleFromSpoolInput,
  RecordDecisionInput,
  DescribeCallInput,
  DoubtPendingInput,
  CallDescription,
} from './activities/step.js';
export type {
  AnswerView,
  BodyReading,
  DocumentsReading,
  LawyerPageReading,
  MonitorReading,
  MovementsReading,
  NextPageStep,
  NoticesReading,
  PageFactsReading,
  Reading,
  ReadingByView,
  ReadingFor,
  RecordReading,
  RefreshReading,
  SummaryReading,
} from './activities/readings.js';
export type { MovementResult, StoredAnswerFile } from './answer-parts.js';
export type { OpenCollectionInput, OpenedCollection, FinishCollectionInput } from './activities/collections.js';
export type { DownloadInput, DownloadResult } from './activities/downloads.js';
export type {
  LawyerCursor,
  LawyerCallParams,
  SaveFirstPageInput,
  SaveFirstPageResult,
  ReadLawyerPagesInput,
  ReadLawyerPagesResult,
  CommitImportInput,
  CommittedImport,
} from './activities/lawyers.js';
export type {
  PlanNoticesInput,
  NoticeBatch,
  NoticesPlan,
  SaveNoticesInput,
  SaveNoticesResult,
  SaveNoticeTextInput,
} from './activities/notices.js';
export type { PlanNoticeMonitorInput, EnsurePlan, ListingRefused, AuditMonitorsReport } from './activities/monitors.js';
export type { DispatchInput, DispatchResult } from './activities/portfolio.js';
export {
  provenPaidProblem,
  raisedCapProblem,
  readWake,
  resumeProblem,
  settleChargeProblem,
  type ChargeDecision,
  type ResumeInput,
  type ResumeResult,
  type SettleChargeInput,
  type WakeInput,
} from './decisions.js';
export { FAILURE_TYPES, NOT_PARKED, flowFailure, type FailureDetails, type FailureType } from './failures.js';
export {
  auditMonitorsId,
  importLawyerCasesId,
  awaitRequestId,
  callOperationId,
  collectPagesId,
  readCaseId,
  searchBoardId,
  summarizeCaseId,
  deactivateMonitorId,
  monitorId,
  noticeMonitorId,
  refreshCaseId,
  refreshPortfolioId,
  syncNoticesId,
} from './ids.js';
export {
  ACCOUNT_NAME,
  PORTFOLIO_NAME,
  parseAuditMonitorsInput,
  parseCreateMonitorInput,
  parseDeactivateMonitorInput,
  parseEnsureNoticeMonitorInput,
  BOARD_WINDOW_DAYS,
  CASE_PARTS,
  parseAwaitRequestInput,
  parseCallOperationInput,
  parseCollectPagesInput,
  parseReadCaseInput,
  parseSearchBoardInput,
  parseSummarizeCaseInput,
  parseImportLawyerCasesInput,
  parseInputOf,
  parseSyncNoticesInput,
  parseRefreshCaseInput,
  parseRefreshPortfolioInput,
  type AwaitRequestInput,
  type AwaitRequestSettings,
  type BoardFilters,
  type CallOperationInput,
  type CallOperationSettings,
  type CasePart,
  type CollectPagesInput,
  type CollectPagesSettings,
  type ReadCaseInput,
  type ReadCaseSettings,
  type SearchBoardInput,
  type SearchBoardSettings,
  type SummarizeCaseInput,
  type SummarizeCaseSettings,
  type CommonInput,
  type CommonSettings,
  type Parsed,
  type RefreshCaseInput,
  type RefreshCaseSettings,
  type CreateMonitorInput,
  type CreateMonitorSettings,
  type DeactivateMonitorInput,
  type DeactivateMonitorSettings,
  type EnsureNoticeMonitorInput,
  type EnsureNoticeMonitorSettings,
  type ImportLawyerCasesInput,
  type ImportLawyerCasesSettings,
  type SyncNoticesInput,
  type SyncNoticesSettings,
  type RefreshPortfolioInput,
  type RefreshPortfolioSettings,
} from './inputs/index.js';
export {
  DEFAULT_ACCOUNT,
  DEFAULT_TASK_QUEUE,
  ID_KEY_FINGERPRINT,
  MEMO_ID_KEY,
  MEMO_INPUT_HASH,
  MEMO_MAX_SPEND,
  MEMO_SWEEP,
  QUERY_PROGRESS,
  SEARCH_ATTRIBUTES,
  SIGNAL_WAKE,
  UPDATE_RESUME,
  UPDATE_SETTLE_CHARGE,
  WORKFLOW_TYPES,
  chargedTaskQueue,
  legacyQueueOf,
  pollsTaskQueue,
  type Attention,
  type FlowState,
  type WorkflowType,
} from './names.js';
export type {
  CallFacts,
  CallHeld,
  CallOutcome,
  CallOutcomeName,
  CallRefused,
  ChargedCallResult,
  PendingPlan,
  UnexpectedRead,
} from './outcome.js';
export { readSweepMemo, type SweepMemo } from './sweep.js';
export { undecodable, undecodableReason, type Undecodable } from './undecodable.js';
export type { CollectPagesResult, PagesStop } from './results/collect-pages.js';
export type { ReadCaseResult } from './results/read-case.js';
export type { SearchBoardResult } from './results/search-board.js';
export type { SummarizeCaseResult } from './results/summarize-case.js';
export type { CallOperationResult } from './results/call-operation.js';
export {
  MAX_RECEIPTS,
  type DocumentResult,
  type Progress,
  type ProgressStep,
  type Receipt,
  type RefreshCaseResult,
  type AuditMonitorsResult,
  type DeactivateMonitorResult,
  type MonitorFound,
  type MonitorResult,
  type NoticeGap,
  type ImportLawyerCasesResult,
  type SyncNoticesResult,
  type RefreshPortfolioResult,
  type Spent,
} from './results.js';
