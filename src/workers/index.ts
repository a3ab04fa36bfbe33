/**
 * Door of the workers: everything that runs flows and activities in one process. Leaves configuration to config, the
 * workflow code to the bundle (it is named by path, never imported), and the process's life to the command line.
 */
export {
  chargedWorkerOptions,
  legacyWorkerOptions,
  pollsWorkerOptions,
  type ChargedWorkerOptions,
} from './charged-worker-options.js';
export { createWorker, type CreateWorkerOptions, type Readiness, type TramitaWorker } from './create-worker.js';
export { TramitaPlugin, type TramitaPluginOptions } from './plugin.js';
export { installQuietRuntime, replayHistories, type KeptRun, type ReplayedRun } from './replay-histories.js';
export { runTogether, shutdownOnce, type RunningWorker } from './run-together.js';
