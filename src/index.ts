/**
 * Door of the package for Node code: typed starters, workers, the plugin for workers of your own, the bridge,
 * configuration, the local building blocks that these take. Workflow code imports `tramita/workflow` instead; the service
 * as data is `tramita/contract`; the imitation service is `tramita/sandbox`. Importing this does nothing by itself, but
 * loads the native core of `@temporalio/worker`.
 */
export {
  createActivities,
  type AccountDeps,
  type Activities,
  type ActivityDeps,
  type ActivityLog,
} from './activities/index.js';
export {
  createBridge,
  createSignalWake,
  signBody,
  verifyDelivery,
  type Bridge,
  type BridgeAccount,
  type BridgeLog,
  type BridgeOptions,
  type SignalWake,
} from './bridge/index.js';
export {
  CONFIG_ERROR,
  bridgeProblems,
  createTokens,
  describe,
  loadTemporalConnection,
  preflight,
  resolveConfig,
  workerProblems,
  type AccountConfig,
  type Config,
  type ConfigError,
  type ConfigSources,
  type TemporalConnection,
  type Tokens,
} from './config/index.js';
export { createInbox, type Inbox } from './inbox/index.js';
export {
  FAILURE_TYPES,
  SEARCH_ATTRIBUTES,
  refreshCaseId,
  refreshPortfolioId,
  type Attention,
  type DocumentResult,
  type FailureDetails,
  type FailureType,
  type Progress,
  type Receipt,
  type RefreshCaseInput,
  type RefreshCaseResult,
  type RefreshPortfolioInput,
  type RefreshPortfolioResult,
  type Spent,
} from './protocol/index.js';
export {
  DifferentInput,
  flowHandle,
  readProgress,
  resumeFlow,
  settleCharge,
  startRefreshCase,
  startRefreshPortfolio,
  wakeFlow,
  type FlowHandle,
  type StartOptions,
  type StarterDeps,
} from './starters/index.js';
export { connect, migrate, type Database } from './store/index.js';
export {
  TramitaPlugin,
  chargedWorkerOptions,
  createWorker,
  type ChargedWorkerOptions,
  type CreateWorkerOptions,
  type TramitaPluginOptions,
  type TramitaWorker,
} from './workers/index.js';
