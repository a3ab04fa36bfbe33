/**
 * Builds and runs the workers of one process: one for workflows and free activities, and one per account for its charged
 * activities, whose fixed slots and rate are the account's. Charged calls in flight are waited for at shutdown.
 */
import { extname, join } from 'node:path';
import { Client } from '@temporalio/client';
import { Worker, type NativeConnection, type WorkerOptions } from '@temporalio/worker';
import { createActivities, type ActivityLog } from '../activities/index.js';
import { workerProblems, type Config, type TemporalConnection } from '../config/index.js';
import { chargedTaskQueue } from '../protocol/index.js';
import { connect, schemaProblem } from '../store/index.js';
import { buildActivityDeps } from './build-deps.js';
import { connectClient, connectNative } from './connect-temporal.js';
import { startHousekeeping } from './housekeeping.js';
import { ensureSearchAttributes } from './search-attributes.js';
import { createWake } from './wake-flows.js';

/** Above the longest start-to-close of a charged call (60 s): a deploy aborts no call. Container stop time: above this. */
export const SHUTDOWN_GRACE_MS = 75_000;
const TEMPORAL_WAIT_MS = 60_000;

export interface CreateWorkerOptions {
  readonly config: Config;
  readonly temporal: TemporalConnection;
  readonly log: ActivityLog;
  /** Prebuilt workflow bundle; bundled from the flows at start (about 1.5 s) when absent. */
  readonly workflowBundlePath?: string;
  /** Additional options for the main worker, e.g. `maxCachedWorkflows` in tests. */
  readonly workerOptions?: Partial<WorkerOptions>;
}

export interface TramitaWorker {
  /** Runs until {@link TramitaWorker.shutdown} or a signal that the Temporal runtime handles. */
  run(): Promise<void>;
  /** Stops polling, waits for charged calls in flight. */
  shutdown(): void;
  readonly taskQueues: readonly string[];
}

/** @throws `tramita: …` when the configuration, the schema or the search attributes do not let a worker run. */
export async function createWorker(options: CreateWorkerOptions): Promise<TramitaWorker> {
  const { config, temporal, log } = options;
  const problems = workerProblems(config);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const db = connect({ url: config.databaseUrl ?? '', applicationName: 'tramita-worker' });
  const native = await connectNative(temporal, TEMPORAL_WAIT_MS);
  const connection = connectClient(temporal);
  const closeAll = async (): Promise<void> => {
    await Promise.allSettled([native.close(), connection.close(), db.destroy()]);
  };
  try {
    const schema = await schemaProblem(db);
    if (schema !== undefined) throw new Error(schema);
    await ensureSearchAttributes(connection, temporal.namespace);
    const client = new Client({ connection, namespace: temporal.namespace });
    const deps = buildActivityDeps({ config, db, log, wake: createWake(client, log) });
    const workers = await buildWorkers(options, native, createActivities(deps));
    return {
      taskQueues: workers.map(({ options: { taskQueue } }) => taskQueue),
      shutdown: () => workers.forEach(shutdownOnce),
      run: async () => {
        const housekeeping = startHousekeeping(deps);
        try {
          await Promise.all(workers.map((worker) => worker.run().finally(() => workers.forEach(shutdownOnce))));
        } finally {
          await housekeeping.stop();
          for (const { client: http } of deps.accounts.values()) http.close();
          await closeAll();
        }
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function buildWorkers(
  { config, temporal, workflowBundlePath, workerOptions }: CreateWorkerOptions,
  connection: NativeConnection,
  activities: ReturnType<typeof createActivities>,
): Promise<Worker[]> {
  const main = await Worker.create({
    connection,
    namespace: temporal.namespace,
    taskQueue: config.taskQueue,
    activities: { ...activities.free },
    shutdownGraceTime: SHUTDOWN_GRACE_MS,
    ...(workflowBundlePath === undefined
      ? { workflowsPath: join(__dirname, '..', 'workflows', `index${extname(__filename)}`) }
      : { workflowBundle: { codePath: workflowBundlePath } }),
    ...workerOptions,
  });
  const charged = Object.entries(config.accounts).map(([name, account]) =>
    Worker.create({
      connection,
      namespace: temporal.namespace,
      taskQueue: chargedTaskQueue(config.taskQueue, name),
      activities: { ...activities.charged },
      maxConcurrentActivityTaskExecutions: account.concurrency,
      maxTaskQueueActivitiesPerSecond: account.requestsPerMinute / 60,
      shutdownGraceTime: SHUTDOWN_GRACE_MS,
    }),
  );
  return [main, ...(await Promise.all(charged))];
}

function shutdownOnce(worker: Worker): void {
  if (worker.getState() === 'RUNNING' || worker.getState() === 'INITIALIZED') {
    try {
      worker.shutdown();
    } catch {
      // Already stopping: the state may change between the look and the call.
    }
  }
}
