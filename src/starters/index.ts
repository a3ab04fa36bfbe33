/**
 * Door of the starters: the typed client of a backend. It takes a Temporal `Client`, never makes one, and names workflows by
 * constants, so no workflow code is loaded.
 */
export { STARTERS, starterOf } from './by-type.js';
export { type Starter } from './define-starter.js';
export { DifferentInput } from './errors.js';
export { readProgress, resumeFlow, settleCharge, wakeFlow } from './operate.js';
export { startCallOperation } from './call-operation.js';
export { startAwaitRequest } from './await-request.js';
export { startCollectPages } from './collect-pages.js';
export { startReadCase } from './read-case.js';
export { startSearchBoard } from './search-board.js';
export { startSummarizeCase } from './summarize-case.js';
export { startRefreshCase } from './refresh-case.js';
export {
  startAuditMonitors,
  startCreateCaseMonitor,
  startCreateRadar,
  startDeactivateMonitor,
  startEnsureNoticeMonitor,
} from './monitors.js';
export { startImportLawyerCases } from './import-lawyer-cases.js';
export { startSyncNotices } from './sync-notices.js';
export { startRefreshPortfolio } from './refresh-portfolio.js';
export { flowHandle, type FlowHandle, type StartOptions, type StarterDeps } from './start-flow.js';
