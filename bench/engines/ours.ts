/** tramita itself: worker and bridge as installed, flows by the typed starter. Nobody decides what parks for a person. */
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { SandboxOptions } from '../../sandbox/index.js';
import { startBridgeProcess, startWorkerProcess } from '../../soak/worker-process.js';
import { openWorld } from '../../soak/world.js';
import { freePort, type Shutdown } from '../../src/local/index.js';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/index.js';
import { startRefreshCase } from '../../src/starters/index.js';
import { BRIDGE_ROLE, migrate } from '../../src/store/index.js';
import type { Contender } from './contender.js';
import type { EngineServers } from './servers.js';
import { WEBHOOK_SECRET } from './settings.js';

const BRIDGE_PASSWORD = 'bridge-of-the-bench';
/** Facts about the account here, which its owner would configure: nobody else uses it, and debits show at once. */
const ACCOUNT = { concurrency: 64, exclusive: true, debitAt: 'answer', refunds: 'never' };

export async function openTramita(
  shutdown: Shutdown,
  { postgres, temporal }: EngineServers,
  sandbox: SandboxOptions,
): Promise<Contender> {
  const world = await openWorld(shutdown, {
    servers: { temporalAddress: temporal.address, databaseUrl: postgres.address },
    webhooks: true,
    sandbox,
    account: ACCOUNT,
  });
  const { client, taskQueue, token, service, env } = world;
  const { TRAMITA_DATABASE_URL: databaseUrl = '' } = env;
  const bridgeUrl = new URL(databaseUrl);
  bridgeUrl.username = BRIDGE_ROLE;
  bridgeUrl.password = BRIDGE_PASSWORD;
  await migrate(databaseUrl, { bridgeUrl: bridgeUrl.href });
  const address = `127.0.0.1:${await freePort()}`;
  const bridge = await startBridgeProcess({
    TEMPORAL_ADDRESS: temporal.address,
    TRAMITA_BRIDGE_DATABASE_URL: bridgeUrl.href,
    TRAMITA_BRIDGE_LISTEN: address,
    TRAMITA_BRIDGE_OPS_LISTEN: `127.0.0.1:${await freePort()}`,
    TRAMITA_WEBHOOK_SECRETS: WEBHOOK_SECRET,
    TRAMITA_LOG_LEVEL: 'error',
  });
  shutdown.add({ name: 'bridge', stop: () => bridge.kill() });
  await service.control('/webhook', { url: `http://${address}/webhooks`, secret: WEBHOOK_SECRET });
  const done = new Set<string>();
  const failed = new Map<string, 'paid' | 'not said'>();
  const query = `TaskQueue = '${taskQueue}' AND ${SEARCH_ATTRIBUTES.attention} IS NOT NULL AND ExecutionStatus = 'Running'`;
  return {
    name: 'tramita',
    service,
    databaseUrl,
    pids: { receiver: bridge.pid, servers: [postgres.pid, temporal.pid] },
    startWorker: () => startWorkerProcess(env),
    start: async (cnj) => {
      const handle = await startRefreshCase({ client, taskQueue, token }, { cnj });
      void handle.result().then(
        () => done.add(cnj),
        (error: unknown) => failed.set(cnj, knowsThatItIsPaid(error) ? 'paid' : 'not said'),
      );
    },
    done: () => Promise.resolve(done),
    failed: () => Promise.resolve(failed),
    asking: async () => {
      const asking = new Set<string>();
      for await (const { workflowId } of client.workflow.list({ query }))
        asking.add(workflowId.split('.').at(-1) ?? '');
      return asking;
    },
    close: () => bridge.kill(),
  };
}

function knowsThatItIsPaid(error: unknown): boolean {
  const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
  return cause instanceof ApplicationFailure && ['ChargedLost', 'RefreshFailed'].includes(cause.type ?? '');
}
