/** One worker for the flows, and two for each account: its charged calls, and its polls. */
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import {
  TramitaPlugin,
  chargedWorkerOptions,
  loadTemporalConnection,
  pollsWorkerOptions,
  resolveConfig,
} from 'tramita';

export interface RunningWorkers {
  /** Waits for charged calls in flight. */
  stop(): Promise<void>;
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
  const running = Promise.all(workers.map((worker) => worker.run()));
  return {
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
