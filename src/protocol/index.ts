/**
 * Door of the protocol: everything that crosses Temporal. Both sides load it, so it imports only `@temporalio/common`,
 * the pure contract values and contract *types*; a zod value, `node:*` or a client, worker or activity package here would
 * break the workflow bundle.
 * What our words mean: `docs/glossary.md`.
 */
export type { ChargedActivities, ChargedActivity, FreeActivities, WorkerVersion } from './activities.js';
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
  LookUpRefreshInput,
  LookUpRefreshResult,
  StepOfFlow,
  ResolveUnknownInput,
  SettleFromSpoolInput,
  RecordDecisionInput,
  DescribeCallInput,
  DoubtPendingInput,
  CallDescription,
  DescribedCall,
} from './activities/step.js';
export type {
  AnswerView,
  BodyReading,
  DocumentsReading,
  LawyerPageReading,
  MonitorReading,
  MovementsReading,
  NextPageStep,
  PageFactsReading,
  Reading,
  ReadingByView,
  ReadingFor,
  RecordReading,
  RefreshReading,
  SummaryReading,
} from './activities/readings.js';
export { cutIntoWindows, worstOfBoard, type BoardWindow } from './board-windows.js';
export {
  DEACTIVATIONS,
  MAX_TEXTS,
  REFRESH_GUARD,
  argumentsOfPage,
  nextByTotal,
  monitorToCreate,
  noticeMonitorBody,
  noticeQuery,
  pagesProblem,
  reachProblem,
  splitGuard,
  type FollowingPage,
} from './charges.js';
export type { MovementResult, StoredAnswerFile } from './answer-parts.js';
export type { OpenCollectionInput, OpenedCollection, FinishCollectionInput } from './activities/collections.js';
export type { DownloadInput, DownloadResult } from './activities/downloads.js';
export type {
  LawyerCursor,
  ImportEnd,
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
  FindNoticeTextsInput,
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
  textProblem,
  type ChargeDecision,
  type ResumeInput,
  type ResumeResult,
  type SettleChargeInput,
  type SettleChargeResult,
  type WakeInput,
} from './decisions.js';
export { FAILURE_TYPES, NOT_PARKED, flowFailure, type FailureDetails, type FailureType } from './failures.js';
export { firstRunOf } from './first-run.js';
export { nameCase, type FlowPlan, type Naming } from './flow.js';
// eslint-disable-next-line no-restricted-syntax -- what users name of a flow is listed once, beside FLOWS
export * from './flows/index.js';
export { PORTFOLIO_NAME } from './flows/refresh-portfolio.js';
export { ACCOUNT_NAME, idProblem, namesProblem, type CommonInput, type CommonSettings } from './inputs/common.js';
export { exactProblem } from './inputs/exact-json.js';
export type { MemberFlag, Parsed } from './inputs/members.js';
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
  chargedTaskQueue,
  legacyQueueOf,
  needOf,
  pollsTaskQueue,
  type Attention,
  type FlowState,
} from './names.js';
export type {
  CallFacts,
  CallHeld,
  CallOutcome,
  CallOutcomeName,
  ChargedCallResult,
  OutcomeState,
  PendingPlan,
  UnexpectedRead,
} from './outcome.js';
export { readSweepMemo, type SweepMemo } from './sweep.js';
export { undecodable } from './undecodable.js';
export {
  MAX_RECEIPTS,
  type DocumentResult,
  type FlowCosts,
  type PagesStop,
  type Progress,
  type ProgressStep,
  type Receipt,
  type Spent,
} from './results.js';
