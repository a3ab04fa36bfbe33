/**
 * Builds and runs the workers of one process: one for workflows and free activities; one per account for its charged
 * activities, with the slots and the rate of the account; one per account for its polls; and one per host for the legacy
 * search. The shutdown waits for charged calls in flight, also after one of the workers has failed.
 */
import { getHeapStatistics } from 'node:v8';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { nameOfError, present, SHUTDOWN_GRACE_MS } from '../contract/values/index.js';
import type { ActivityLog } from '../activities/index.js';
import type { Config, TemporalConnection } from '../config/index.js';
import { cachedFlows } from './cached-flows.js';
import { callFieldsOfSdk } from './call-context.js';
import { chargedWorkerOptions, legacyWorkerOptions, pollsWorkerOptions } from './charged-worker-options.js';
import { createLenientDataConverter } from '../temporal-client/index.js';
import type { FreeActivities } from '../protocol/index.js';
import { connectNative } from './connect-temporal.js';
import { deploymentOptions, idleVersionText } from './deployment.js';
import { withLongTasks } from './long-tasks.js';
import { runTogether, shutdownOnce } from './run-together.js';
import { openWorkerParts, type WorkerParts } from './worker-parts.js';
import { workflowSource } from './workflow-bundle.js';
import { tracedWorkerOptions } from './with-traces.js';

const TEMPORAL_WAIT_MS = 60_000;
const MIB = 1_024 * 1_024;

/** What a worker takes: the configuration, where Temporal is, where to log. */
export interface CreateWorkerOptions {
  readonly config: Config;
  readonly temporal: TemporalConnection;
  readonly log: ActivityLog;
  /** Additional options for the main worker, e.g. `maxCachedWorkflows` in tests. */
  readonly workerOptions?: Partial<WorkerOptions>;
}

/** All workers of one process, which run and end together. */
export interface TramitaWorker {
  /** Runs until {@link TramitaWorker.shutdown} or a signal that the Temporal runtime handles. */
  run(): Promise<void>;
  /** Stops polling, waits for charged calls in flight. */
  shutdown(): void;
  readonly taskQueues: readonly string[];
  /** Whether it takes tasks now: its pollers run, and database and Temporal answer. Never rejects; takes two seconds at most. */
  readiness(): Promise<Readiness>;
  /** Prometheus text about the whole installation and this process's spool; no personal data. Never rejects. */
  metrics(): Promise<string>;
}

/** What a worker needs to take tasks, each true while it is there. */
export type Readiness = Readonly<Record<'database' | 'temporal' | 'pollers', boolean>>;

/**
 * Builds the workers of one process: for the flows, and for the charged calls of every account. It connects and checks; nothing
 * runs before `run()`.
 *
 * @throws `tramita: …` when the configuration, the schema or the search attributes do not let a worker run.
 */
export async function createWorker(options: CreateWorkerOptions): Promise<TramitaWorker> {
  const parts = openWorkerParts(options);
  let native: NativeConnection | undefined;
  const closeAll = async (): Promise<void> => {
    // First, because calls that wait for the end of their work are completed over the native connection.
    await parts.close();
    await native?.close().catch(() => undefined);
  };
  try {
    native = await connectNative(options.temporal, { waitMs: TEMPORAL_WAIT_MS, log: options.log });
    await parts.check();
    const idle = await idleVersionText(parts.connection, options.temporal.namespace, options.config);
    if (idle !== undefined) options.log.warn({}, idle);
    const workers = await buildWorkers(options, native, parts);
    const served = workers.map((worker) => ({
      run: () => parts.serving(worker.options.taskQueue, () => worker.run()),
      shutdown: () => worker.shutdown(),
      getState: () => worker.getState(),
    }));
    const reportFailure = (error: unknown): void =>
      options.log.error({ error: nameOfError(error) }, 'a worker has failed: the others finish their calls and end');
    return {
      taskQueues: workers.map(({ options: { taskQueue } }) => taskQueue),
      metrics: () => parts.metrics(),
      readiness: async () => ({ ...(await parts.reachable()), pollers: workers.every(isPolling) }),
      shutdown: () => workers.forEach(shutdownOnce),
      run: async () => {
        const housekeeping = parts.startHousekeeping();
        try {
          await runTogether(served, reportFailure);
        } finally {
          await housekeeping.stop();
          await closeAll();
        }
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function isPolling(worker: Worker): boolean {
  const { runState, activityPollerState, workflowPollerState } = worker.getStatus();
  return runState === 'RUNNING' && activityPollerState === 'POLLING' && workflowPollerState !== 'FAILED';
}

async function buildWorkers(
  { config, temporal, workerOptions }: CreateWorkerOptions,
  connection: NativeConnection,
  { activities, nexusServices, traces }: Pick<WorkerParts, 'activities' | 'nexusServices' | 'traces'>,
): Promise<Worker[]> {
  const { namespace } = temporal;
  const everywhere = { connection, namespace, ...deploymentOptions(config) };
  const flows = {
    ...everywhere,
    taskQueue: config.taskQueue,
    activities: { ...activities.free },
    ...(nexusServices.length === 0 ? {} : { nexusServices }),
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
    interceptors: { activity: [callFieldsOfSdk] },
    maxCachedWorkflows: cachedFlows(getHeapStatistics().heap_size_limit / MIB),
    ...(await workflowSource(temporal, present({ deployment: config.deployment, traces }))),
    ...workerOptions,
  };
  const main = await Worker.create(tracedWorkerOptions(withLongTasks(flows), traces));
  const accounts = Object.keys(config.accounts);
  const interceptors = { activity: [...(traces?.activityInterceptors ?? []), callFieldsOfSdk] };
  const common = { ...everywhere, interceptors, dataConverter: createLenientDataConverter(temporal) };
  const awaitFinal: FreeActivities['awaitFinal'] = (input) => activities.free.awaitFinal(input);
  const charged = [
    ...accounts.map((account) => chargedWorkerOptions(config, account)),
    ...legacyWorkerOptions(config),
  ].map((queue) => Worker.create({ ...common, activities: { ...activities.charged }, ...queue }));
  const polls = accounts
    .map((account) => pollsWorkerOptions(config, account))
    .map((queue) => Worker.create({ ...common, activities: { awaitFinal }, ...queue }));
  return [main, ...(await Promise.all([...charged, ...polls]))];
}
