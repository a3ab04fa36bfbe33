/** The parser of each workflow type's input, for callers that have its name as text. Pure. */
import type { WorkflowType } from '../names.js';
import { parseCallOperationInput } from './call-operation.js';
import { parseAwaitRequestInput } from './await-request.js';
import { parseReadCaseInput } from './read-case.js';
import { parseSearchBoardInput } from './search-board.js';
import { parseSummarizeCaseInput } from './summarize-case.js';
import { parseCollectPagesInput } from './collect-pages.js';
import type { CommonSettings } from './common.js';
import {
  parseAuditMonitorsInput,
  parseCreateMonitorInput,
  parseDeactivateMonitorInput,
  parseEnsureNoticeMonitorInput,
} from './monitors.js';
import { parseSyncNoticesInput } from './sync-notices.js';
import { parseImportLawyerCasesInput } from './import-lawyer-cases.js';
import type { Parsed } from './members.js';
import { parseRefreshCaseInput } from './refresh-case.js';
import { parseRefreshPortfolioInput } from './refresh-portfolio.js';

const PARSERS: Readonly<Record<WorkflowType, (input: unknown) => Parsed<CommonSettings>>> = {
  refreshCase: parseRefreshCaseInput,
  refreshPortfolio: parseRefreshPortfolioInput,
  callOperation: parseCallOperationInput,
  collectPages: parseCollectPagesInput,
  readCase: parseReadCaseInput,
  summarizeCase: parseSummarizeCaseInput,
  awaitRequest: parseAwaitRequestInput,
  searchBoard: parseSearchBoardInput,
  importLawyerCases: parseImportLawyerCasesInput,
  syncNotices: parseSyncNoticesInput,
  ensureNoticeMonitor: parseEnsureNoticeMonitorInput,
  createRadar: parseCreateMonitorInput,
  createCaseMonitor: parseCreateMonitorInput,
  deactivateMonitor: parseDeactivateMonitorInput,
  auditMonitors: parseAuditMonitorsInput,
};

export function parseInputOf(type: WorkflowType): (input: unknown) => Parsed<CommonSettings> {
  return PARSERS[type];
}
