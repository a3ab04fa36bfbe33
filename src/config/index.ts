/**
 * Door of the configuration: the only reader of the environment. `resolveConfig` parses everything once into a frozen
 * object; `workerProblems` and `bridgeProblems` list what a program lacks; `describe` shows it without secrets; `preflight`
 * warns. It opens no socket and is never imported by workflow code: configuration reaches a flow inside activity outcomes.
 */
export {
  codecProblems,
  loadCodecConfig,
  type CodecConfig,
  type CodecToken,
  type OidcSettings,
} from './codec-config.js';
export { CONFIG_ERROR, type ConfigError } from './config-error.js';
export { describe } from './describe.js';
export { ENV, bothWays, type Variable } from './env-names.js';
export type { Env } from './env-reader.js';
export { errorCode } from './error-code.js';
export {
  baseUrlFingerprint,
  fingerprintProblem,
  fingerprintsOf,
  missingKeyProblem,
  payloadKeysProblem,
  shortFingerprint,
  unreadKeyProblem,
} from './fingerprints.js';
export { createTokens, type Tokens } from './id-tokens.js';
export { isLoopback, parseApiUrl, type ListenAddress, type LogLevel } from './parse-values.js';
export { preflight, unencryptedDatabase } from './preflight.js';
export { KEPT_PLACES, keptText, type Retention } from './retention.js';
export { bridgeProblems, hasBridge, tlsProblems, workerProblems } from './program-problems.js';
export { resolveConfig, type ConfigOverrides, type ConfigSources } from './resolve-config.js';
export { readTraceProtocol } from './trace-settings.js';
export { createNaming, createStarterDeps, type ConfiguredStarterDeps } from './starter-deps.js';
export type { PayloadKeys } from './payload-keys.js';
export { loadTemporalConnection, type TemporalConnection } from './temporal-connection.js';
export type { AccountConfig, Config, DeploymentVersion } from './types.js';
