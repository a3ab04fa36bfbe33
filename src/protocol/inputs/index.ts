/**
 * Inputs of the flows and their problems as text. Shared by starters (before anything starts) and flows (so that plain
 * JSON from any language fails at once with `InvalidInput` instead of failing a workflow task forever). Pure, no zod.
 */
export {
  parseAuditMonitorsInput,
  parseCreateMonitorInput,
  parseDeactivateMonitorInput,
  parseEnsureNoticeMonitorInput,
  type CreateMonitorInput,
  type CreateMonitorSettings,
  type DeactivateMonitorInput,
  type DeactivateMonitorSettings,
  type EnsureNoticeMonitorInput,
  type EnsureNoticeMonitorSettings,
} from './monitors.js';
export {
  parseImportLawyerCasesInput,
  type ImportLawyerCasesInput,
  type ImportLawyerCasesSettings,
} from './import-lawyer-cases.js';
export { parseSyncNoticesInput, type SyncNoticesInput, type SyncNoticesSettings } from './sync-notices.js';
export { parseCallOperationInput, type CallOperationInput, type CallOperationSettings } from './call-operation.js';
export { parseAwaitRequestInput, type AwaitRequestInput, type AwaitRequestSettings } from './await-request.js';
export { parseCollectPagesInput, type CollectPagesInput, type CollectPagesSettings } from './collect-pages.js';
export {
  CASE_PARTS,
  parseReadCaseInput,
  type CasePart,
  type ReadCaseInput,
  type ReadCaseSettings,
} from './read-case.js';
export {
  BOARD_WINDOW_DAYS,
  parseSearchBoardInput,
  type BoardFilters,
  type SearchBoardInput,
  type SearchBoardSettings,
} from './search-board.js';
export { parseSummarizeCaseInput, type SummarizeCaseInput, type SummarizeCaseSettings } from './summarize-case.js';
export { parseInputOf } from './by-type.js';
export { ACCOUNT_NAME, type CommonInput, type CommonSettings } from './common.js';
export type { Parsed } from './members.js';
export {
  PORTFOLIO_NAME,
  parseRefreshPortfolioInput,
  type RefreshPortfolioInput,
  type RefreshPortfolioSettings,
} from './refresh-portfolio.js';
export { parseRefreshCaseInput, type RefreshCaseInput, type RefreshCaseSettings } from './refresh-case.js';
