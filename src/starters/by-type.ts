/** The starter of each workflow type, for callers that have its name as text, like the command line. */
import type { WorkflowType } from '../protocol/index.js';
import { startAwaitRequest } from './await-request.js';
import { startCallOperation } from './call-operation.js';
import { startCollectPages } from './collect-pages.js';
import type { Starter } from './define-starter.js';
import { startImportLawyerCases } from './import-lawyer-cases.js';
import {
  startAuditMonitors,
  startCreateCaseMonitor,
  startCreateRadar,
  startDeactivateMonitor,
  startEnsureNoticeMonitor,
} from './monitors.js';
import { startReadCase } from './read-case.js';
import { startRefreshCase } from './refresh-case.js';
import { startRefreshPortfolio } from './refresh-portfolio.js';
import { startSearchBoard } from './search-board.js';
import { startSummarizeCase } from './summarize-case.js';
import { startSyncNotices } from './sync-notices.js';

/** Every starter under the name of its workflow type, each with its own input and result. */
export const STARTERS = {
  refreshCase: startRefreshCase,
  refreshPortfolio: startRefreshPortfolio,
  callOperation: startCallOperation,
  collectPages: startCollectPages,
  readCase: startReadCase,
  summarizeCase: startSummarizeCase,
  awaitRequest: startAwaitRequest,
  searchBoard: startSearchBoard,
  importLawyerCases: startImportLawyerCases,
  syncNotices: startSyncNotices,
  ensureNoticeMonitor: startEnsureNoticeMonitor,
  createRadar: startCreateRadar,
  createCaseMonitor: startCreateCaseMonitor,
  deactivateMonitor: startDeactivateMonitor,
  auditMonitors: startAuditMonitors,
} as const satisfies Readonly<Record<WorkflowType, Starter<never, unknown>>>;

/** The starter of a type that is known only when it runs: it checks its input itself, so parsed JSON may be handed on as it is. */
export function starterOf(type: WorkflowType): Starter<unknown, unknown> {
  return STARTERS[type] as Starter<unknown, unknown>;
}
