/** What users name of a flow: its default workflow id, the types of its input and its result. */
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
