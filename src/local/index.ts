/**
 * Door of the local stack: development only, never part of a production process. It gets a Temporal server and a
 * PostgreSQL for one folder, keeps a record of every process it starts there, and stops all of them.
 *
 * `startStack` starts a whole one, inside `withShutdown`. Each start function takes `onSpawn`, so that the pid is on disk before
 * anything is awaited.
 *
 * Not exported: locks, the ways to get Temporal, the creation of a cluster. Not for Windows.
 */
export { claimStack, cleanLeftovers, readStack } from './stack/stack.js';
export { cachedClusterServer, findClusterServer } from './temporal/find-cluster-server.js';
export { findTemporalServer } from './temporal/find-temporal-server.js';
export { freePort } from './process/free-port.js';
export { identifyProcess } from './process/process-identity.js';
export { packageRoot } from './process/package-root.js';
export { startOwnPostgres, startOwnTemporal } from './stack/own-servers.js';
export { startPostgres } from './postgres/postgres.js';
export { removePrivateFolder } from './postgres/postgres-place.js';
export { writeProfile } from './stack/stack-context.js';
export { startStack } from './stack/start-stack.js';
export { startTemporalServer } from './temporal/temporal-server.js';
export { superviseProcess } from './process/supervise-process.js';
export { TEMPORAL_CLI_VERSION } from './temporal/temporal-version.js';
export { waitUntil } from './process/wait-until.js';
export { withShutdown } from './stack/with-shutdown.js';

export type { SandboxControl } from './stack/control-sandbox.js';
export type { ClusterServer } from './temporal/find-cluster-server.js';
export type { FoundTemporal } from './temporal/find-temporal-server.js';
export type { LocalProgress, OnProgress } from './process/progress.js';
export type { PostgresServer } from './postgres/postgres.js';
export type { ProcessIdentity } from './process/process-identity.js';
export type { ServerContext } from './stack/stack-context.js';
export type { Stack } from './stack/stack.js';
export type { LocalStack } from './stack/start-stack.js';
export type { SupervisedProcess, SuperviseOptions } from './process/supervise-process.js';
export type { Part, Shutdown, ShutdownResult } from './stack/with-shutdown.js';
export type { TemporalPorts, TemporalServer } from './temporal/temporal-server.js';
