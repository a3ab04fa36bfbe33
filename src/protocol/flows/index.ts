/** All flows: what is derived from flows begins with {@link FLOWS}, and what users name of a flow is exported here. */
import { auditMonitors } from './audit-monitors.js';
import { awaitRequest } from './await-request.js';
import { callOperation } from './call-operation.js';
import { collectPages } from './collect-pages.js';
import { createCaseMonitor, createRadar } from './create-monitor.js';
import { deactivateMonitor } from './deactivate-monitor.js';
import { ensureNoticeMonitor } from './ensure-notice-monitor.js';
import { importLawyerCases } from './import-lawyer-cases.js';
import { readCase } from './read-case.js';
import { refreshCase } from './refresh-case.js';
import { refreshPortfolio } from './refresh-portfolio.js';
import { searchBoard } from './search-board.js';
import { summarizeCase } from './summarize-case.js';
import { syncNotices } from './sync-notices.js';

/** The definition of every flow under its workflow type. */
export const FLOWS = {
  refreshCase,
  refreshPortfolio,
  callOperation,
  collectPages,
  readCase,
  summarizeCase,
  awaitRequest,
  searchBoard,
  importLawyerCases,
  syncNotices,
  ensureNoticeMonitor,
  createRadar,
  createCaseMonitor,
  deactivateMonitor,
  auditMonitors,
} as const;

/** Name of a flow, as `workflowType` in Temporal. */
export type WorkflowType = keyof typeof FLOWS;
/** Workflow types of the public interface. */
export const WORKFLOW_TYPES = Object.keys(FLOWS) as readonly WorkflowType[];

type TypesOf<Type extends WorkflowType> = NonNullable<(typeof FLOWS)[Type]['types']>;
/** Input of a flow by its workflow type. */
export type FlowInput<Type extends WorkflowType> = TypesOf<Type>['input'];
/** What a flow's input becomes once it is read: defaults filled in, identifiers in one spelling. */
export type FlowSettings<Type extends WorkflowType> = TypesOf<Type>['settings'];
/** Result of a flow by its workflow type. */
export type FlowResult<Type extends WorkflowType> = TypesOf<Type>['result'];

export { auditMonitorsId, type AuditMonitorsResult, type MonitorFound } from './audit-monitors.js';
export { awaitRequestId, type AwaitRequestInput } from './await-request.js';
export { callOperationId, type CallOperationInput, type CallOperationResult } from './call-operation.js';
export { collectPagesId, type CollectPagesInput, type CollectPagesResult } from './collect-pages.js';
export { monitorId, type CreateMonitorInput } from './create-monitor.js';
export {
  deactivateMonitorId,
  type DeactivateMonitorInput,
  type DeactivateMonitorResult,
} from './deactivate-monitor.js';
export { noticeMonitorId, type EnsureNoticeMonitorInput, type MonitorResult } from './ensure-notice-monitor.js';
export {
  importLawyerCasesId,
  type ImportLawyerCasesInput,
  type ImportLawyerCasesResult,
} from './import-lawyer-cases.js';
export { readCaseId, type CasePart, type ReadCaseInput, type ReadCaseResult } from './read-case.js';
export { refreshCaseId, type RefreshCaseInput, type RefreshCaseResult } from './refresh-case.js';
export { refreshPortfolioId, type RefreshPortfolioInput, type RefreshPortfolioResult } from './refresh-portfolio.js';
export { searchBoardId, type BoardFilters, type SearchBoardInput, type SearchBoardResult } from './search-board.js';
export { summarizeCaseId, type SummarizeCaseInput, type SummarizeCaseResult } from './summarize-case.js';
export { syncNoticesId, type NoticeGap, type SyncNoticesInput, type SyncNoticesResult } from './sync-notices.js';
