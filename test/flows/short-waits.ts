/** A worker whose flows wait seconds in place of minutes or a day, because some of their files are replaced in its bundle. */
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { TramitaPlugin, chargedWorkerOptions } from '../../src/workers/index.js';
import { exchanging } from './kept-bundle.js';
import { temporal, type Flows } from './with-flows.js';

const silent = (): void => undefined;

/** `exchanged`: import as the flows spell it, e.g. `../flow/calls.js` → the file of this folder that replaces it. */
export async function startShortWorker(flows: Flows, exchanged: Readonly<Record<string, string>>): Promise<void> {
  const { config, taskQueue } = flows;
  const plugin = new TramitaPlugin({
    config,
    temporal: temporal(),
    log: { info: silent, warn: silent, error: silent },
  });
  const connection = await NativeConnection.connect({ address: temporal().address });
  const alias = Object.fromEntries(
    Object.entries({ './asks-after.js': 'asks-at-once.ts', ...exchanged }).map(
      ([from, to]) => [`${from}$`, join(__dirname, to)] as const,
    ),
  );
  const main = await Worker.create({
    connection,
    taskQueue,
    workflowsPath: join(__dirname, '..', '..', 'src', 'workflows', 'index.ts'),
    bundlerOptions: exchanging(alias),
    plugins: [plugin],
  });
  const charged = await Worker.create({ connection, ...chargedWorkerOptions(config, 'default'), plugins: [plugin] });
  const running = Promise.all([main.run(), charged.run()]);
  flows.atEnd(async () => {
    main.shutdown();
    charged.shutdown();
    await running;
    await connection.close();
  });
}
