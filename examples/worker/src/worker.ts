/** One worker for the flows, and two for each account: for its charged calls, and for its polls. */
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import {
  TramitaPlugin,
  chargedWorkerOptions,
  loadTemporalConnection,
  pollsWorkerOptions,
  resolveConfig,
  runTogether,
  shutdownOnce,
} from 'tramita';

export interface RunningWorkers {
  /** Resolves once charged calls in flight have ended; rejects when a worker has failed. */
  readonly ended: Promise<void>;
  /** Asks all workers to end. */
  stop(): void;
}

export async function startWorkers(env: NodeJS.ProcessEnv): Promise<RunningWorkers> {
  const config = resolveConfig({ env });
  const temporal = loadTemporalConnection(env);
  const plugins = [new TramitaPlugin({ config, temporal, log: console })];
  const connection = await NativeConnection.connect(temporal.connectionOptions);
  const common = { connection, namespace: temporal.namespace, plugins };
  const workers = await Promise.all([
    Worker.create({ ...common, taskQueue: config.taskQueue, workflowsPath: join(__dirname, 'workflows.js') }),
    ...Object.keys(config.accounts).flatMap((account) => [
      Worker.create({ ...common, ...chargedWorkerOptions(config, account) }),
      Worker.create({ ...common, ...pollsWorkerOptions(config, account) }),
    ]),
  ]);
  // When one fails, the others end as well, after finishing their charged calls.
  const running = runTogether(workers, (error) => console.error('a worker failed', error));
  return {
    ended: running.finally(() => connection.close()),
    stop: () => workers.forEach(shutdownOnce),
  };
}
