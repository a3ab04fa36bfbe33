/** Workers of one task queue with different accounts, as during a deployment. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { resolveConfig } from '../../src/config/index.js';
import { resumeFlow } from '../../src/starters/index.js';
import { TramitaPlugin, chargedWorkerOptions } from '../../src/workers/index.js';
import { exchanging } from './kept-bundle.js';
import { temporal, withFlows } from './with-flows.js';

const ACCOUNT = { outageAfter: 0, pollsPerMinute: 60_000 };

describe('a flow that has paid and continues in a new run', () => {
  const flows = withFlows({ worker: false });

  it('does not fail when the worker of that run lacks its account', async () => {
    const connection = await NativeConnection.connect({ address: temporal().address });
    flows.atEnd(() => connection.close());
    const office = { ...ACCOUNT, apiUrl: flows.sandbox.url, apiKeyEnv: 'TRAMITA_API_KEY' };
    const before = await flowsWorker({ default: ACCOUNT, office }, connection);
    const run = await flows.startPlain('collectPages', {
      account: 'office',
      operation: 'listPrecatorios',
      params: { ano_orcamentario: 2028 },
      maxPages: 100,
      maxSpend: '0.50',
    });
    await flows.parked(run.workflowId);
    await before.stop();

    await flowsWorker({ default: ACCOUNT }, connection);
    await resumeFlow(flows.client, run.workflowId, { by: 'ana', maxSpend: '99.00' });
    expect(await run.result()).toMatchObject({ complete: true });
    const [{ runId }, first] = [
      await run.describe(),
      (run as { readonly firstExecutionRunId?: string }).firstExecutionRunId,
    ];
    expect(runId).not.toBe(first);
  });

  /** A worker for flows. The first one also makes the charged calls of its account, and goes on with them after `stop`. */
  async function flowsWorker(accounts: Readonly<Record<string, object>>, connection: NativeConnection) {
    const folder = mkdtempSync(join(tmpdir(), 'tramita-accounts-'));
    flows.atEnd(() => rm(folder, { recursive: true, force: true }));
    const settings = join(folder, 'settings.json');
    writeFileSync(settings, JSON.stringify({ accounts }));
    const quiet = (): void => undefined;
    const config = resolveConfig({ env: { ...flows.env, TRAMITA_CONFIG: settings } });
    const log = { info: quiet, warn: quiet, error: quiet };
    const plugins = [new TramitaPlugin({ config, temporal: temporal(), log })];
    const { taskQueue } = flows;
    const exchanged = { './asks-after.js$': 'asks-at-once.ts', './history-length.js$': 'long-history.ts' };
    const main = await Worker.create({
      connection,
      taskQueue,
      plugins,
      workflowsPath: join(__dirname, '..', '..', 'src', 'workflows', 'index.ts'),
      bundlerOptions: exchanging(
        Object.fromEntries(Object.entries(exchanged).map(([from, to]) => [from, join(__dirname, to)])),
      ),
    });
    const charged =
      'office' in accounts
        ? await Worker.create({ connection, ...chargedWorkerOptions(config, 'office'), plugins })
        : undefined;
    const running = { main: main.run(), charged: charged?.run() };
    const stop = async (): Promise<void> => {
      if (main.getState() === 'RUNNING') main.shutdown();
      await running.main;
    };
    flows.atEnd(async () => {
      charged?.shutdown();
      await Promise.all([stop(), running.charged]);
    });
    return { stop };
  }
});
