/**
 * Door of the package for Node code: typed starters, workers, the plugin for workers of your own, the bridge,
 * configuration, the local building blocks that these take. Workflow code imports `tramita/workflow` instead; the service
 * as data is `tramita/contract`; the imitation service is `tramita/sandbox`. Importing this does nothing by itself, but
 * loads the native core of `@temporalio/worker`: a backend that only starts flows imports `tramita/client`.
 */
export * from './client.js';
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
export { bridgeProblems, describe, preflight, workerProblems } from './config/index.js';
export { createFiles, type Files } from './files/index.js';
export { createInbox, type Inbox } from './inbox/index.js';
export {
  planFlow,
  planList,
  planPortfolio,
  type CallPlan,
  type CallState,
  type CapAhead,
  type CaseFlow,
  type CostAhead,
  type FlowCostPlan,
  type PlanDeps,
  type PlannedNight,
  type PortfolioNights,
  type PortfolioNightsInput,
  type PriceSource,
} from './planning/index.js';
export { connect, migrate, type Database } from './store/index.js';
export {
  TramitaPlugin,
  chargedWorkerOptions,
  createWorker,
  legacyWorkerOptions,
  pollsWorkerOptions,
  runTogether,
  shutdownOnce,
  type ChargedWorkerOptions,
  type CreateWorkerOptions,
  type RunningWorker,
  type TramitaPluginOptions,
  type TramitaWorker,
} from './workers/index.js';
