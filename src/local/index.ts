/**
 * Door of the local stack: development only, never part of a production process. It gets a Temporal server and a
 * PostgreSQL for one folder, keeps a record of every process it starts there, and stops all of them.
 *
 * A stack is composed like this (each start takes `onSpawn`, so that a pid is on disk before anything is awaited):
 *
 *   withShutdown({ onProgress, body: async (shutdown) => {
 *     const stack = await claimStack({ root, onProgress });
 *     shutdown.add({ name: 'stack record', stop: stack.release });
 *     const { executable } = await findTemporalServer({ env, onProgress, signal: shutdown.signal });
 *     const temporal = await startTemporalServer({ executable, dataDir: stack.dataDir('temporal'), ... });
 *     shutdown.add({ name: 'Temporal', ...temporal });
 *     ... startPostgres, superviseProcess ...
 *     await shutdown.requested;
 *   } });
 *
 * Withheld: locks, identities' readers, the ways to get Temporal, the making of a cluster. Not for Windows.
 */
export { controlSandbox } from './control-sandbox.js';
export { claimStack, cleanLeftovers, readStack, stopStack } from './stack.js';
export { findTemporalServer } from './find-temporal-server.js';
export { freePort } from './free-port.js';
export { packageRoot } from './package-root.js';
export { POSTGRES_DATABASE, startPostgres } from './postgres.js';
export { decidePostgresSource, decideTemporalSource } from './server-source.js';
export { SANDBOX_KEY, startStack } from './start-stack.js';
export { startTemporalServer } from './temporal-server.js';
export { superviseProcess } from './supervise-process.js';
export { TEMPORAL_CLI_VERSION } from './temporal-version.js';
export { waitUntil } from './wait-until.js';
export { withShutdown } from './with-shutdown.js';

export type { SandboxCharge, SandboxControl, SandboxDelivery, SandboxRequest } from './control-sandbox.js';
export type { FoundTemporal } from './find-temporal-server.js';
export type { LocalProgress, OnProgress } from './progress.js';
export type { PostgresServer, StartPostgresOptions } from './postgres.js';
export type { ProcessEnd, SupervisedProcess, SuperviseOptions } from './supervise-process.js';
export type { ProcessIdentity } from './process-identity.js';
export type { RecordedProcess, Stack, StackAddresses, StackStatus } from './stack.js';
export type { LocalStack, StartStackOptions } from './start-stack.js';
export type { TemporalPlace } from './get-temporal.js';
export type { ServerSource } from './server-source.js';
export type { Part, Shutdown, ShutdownResult } from './with-shutdown.js';
export type { StartTemporalOptions, TemporalPorts, TemporalServer } from './temporal-server.js';
