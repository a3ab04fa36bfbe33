/**
 * Door of the starters: the typed client of a backend. It takes a Temporal `Client`, never makes one, and names workflows by
 * constants, so no workflow code is loaded. All of it is public (`tramita/client`).
 */
export { DifferentInput, findRunning } from './start-flow.js';
// eslint-disable-next-line no-restricted-syntax -- the list of starters is written once, where they are made
export * from './flows.js';
export { readDetails, readProgress, resumeFlow, settleCharge, wakeFlow } from './operate.js';
export { flowHandle, type FlowHandle } from './flow-handle.js';
export type { StartOptions, StarterDeps } from './start-flow.js';
