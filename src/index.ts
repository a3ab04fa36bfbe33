/**
 * Door of the package for Node code: typed starters, workers, configuration, the bridge. Workflow code imports
 * `tramita/workflow` instead; the service as data is `tramita/contract`; the imitation service is `tramita/sandbox`.
 * Importing this does nothing by itself.
 */
export {
  DifferentInput,
  flowHandle,
  readProgress,
  resumeFlow,
  settleCharge,
  startRefreshCase,
  wakeFlow,
  type FlowHandle,
  type StartOptions,
  type StarterDeps,
} from './starters/index.js';
