/** The typed starter of each workflow type, for callers that have its name as text. */
import type { WorkflowType } from '../../protocol/index.js';
import {
  startCallOperation,
  startAwaitRequest,
  startCollectPages,
  startReadCase,
  startSearchBoard,
  startSummarizeCase,
  startRefreshCase,
  startRefreshPortfolio,
  startAuditMonitors,
  startCreateCaseMonitor,
  startCreateRadar,
  startDeactivateMonitor,
  startEnsureNoticeMonitor,
  startImportLawyerCases,
  startSyncNotices,
  type FlowHandle,
  type StarterDeps,
  type StartOptions,
} from '../../starters/index.js';

export type StartByType = (deps: StarterDeps, input: unknown, options: StartOptions) => Promise<FlowHandle<unknown>>;

/** Inputs are checked by the starters themselves, so what came from JSON may be handed on as it is. */
export const STARTERS: Readonly<Record<WorkflowType, StartByType>> = {
  refreshCase: startRefreshCase as StartByType,
  refreshPortfolio: startRefreshPortfolio as StartByType,
  callOperation: startCallOperation as StartByType,
  collectPages: startCollectPages as StartByType,
  readCase: startReadCase as StartByType,
  summarizeCase: startSummarizeCase as StartByType,
  awaitRequest: startAwaitRequest as StartByType,
  searchBoard: startSearchBoard as StartByType,
  importLawyerCases: startImportLawyerCases as StartByType,
  syncNotices: startSyncNotices as StartByType,
  ensureNoticeMonitor: startEnsureNoticeMonitor as StartByType,
  createRadar: startCreateRadar as StartByType,
  createCaseMonitor: startCreateCaseMonitor as StartByType,
  deactivateMonitor: startDeactivateMonitor as StartByType,
  auditMonitors: startAuditMonitors as StartByType,
};
