/**
 * `tramita/client`: for a backend that starts and queries flows and runs no worker. Typed starters, the configuration they
 * need, client connections, and everything of `tramita/protocol`. Unlike the door of the whole package it loads neither
 * `@temporalio/worker` with its native core nor the bridge, the database or the HTTP client.
 */
// A star only for a list of our own that names every export.
export * from './public-protocol.js';
export {
  CONFIG_ERROR,
  createStarterDeps,
  createTokens,
  loadTemporalConnection,
  resolveConfig,
  type AccountConfig,
  type Config,
  type ConfigError,
  type ConfigOverrides,
  type ConfigSources,
  type ConfiguredStarterDeps,
  type PayloadKeys,
  type TemporalConnection,
  type Tokens,
} from './config/index.js';
export * from './starters/index.js';
export { connectClient, connectClientNow, createDataConverter } from './temporal-client/index.js';
