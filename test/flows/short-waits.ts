/** A user's own workers with the plugin, whose flows wait seconds in place of minutes or a day: some of their files are replaced. */
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Config } from '../../src/config/index.js';
import { TramitaPlugin, chargedWorkerOptions } from '../../src/workers/index.js';
import { exchanging } from './kept-bundle.js';
import { temporal, type Flows } from './with-flows.js';

const silent = (): void => undefined;

/** Import as the flows spell it, e.g. `../flow/calls.js` → the file of this folder that replaces it. */
type Exchanged = Readonly<Record<string, string>>;

/** Returns what stops them. */
export async function startOwnWorkers(
  { taskQueue }: Flows,
  config: Config,
  exchanged: Exchanged,
): Promise<() => Promise<void>> {
  const server = temporal();
  const plugin = new TramitaPlugin({ config, temporal: server, log: { info: silent, warn: silent, error: silent } });
  const connection = await NativeConnection.connect({ address: server.address });
  const common = { connection, plugins: [plugin] };
  const alias = Object.entries(exchanged).map(([from, to]) => [`${from}$`, join(__dirname, to)] as const);
  const workflowsPath = join(__dirname, '..', '..', 'src', 'workflows', 'index.ts');
  const bundlerOptions = exchanging(Object.fromEntries(alias));
  const workers = [
    await Worker.create({ ...common, taskQueue, workflowsPath, bundlerOptions }),
    await Worker.create({ ...common, ...chargedWorkerOptions(config, 'default') }),
  ];
  const running = Promise.all(workers.map((worker) => worker.run()));
  return async () => {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
  };
}

/** Until the test file ends; they ask for a person at once. */
export async function startShortWorker(flows: Flows, exchanged: Exchanged): Promise<void> {
  const all = { './asks-after.js': 'asks-at-once.ts', ...exchanged };
  flows.atEnd(await startOwnWorkers(flows, flows.config, all));
}
