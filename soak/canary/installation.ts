/** What the canaries pass through: servers of the run that log as docs ask, and an installed worker and bridge. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { API_KEYS } from '../../sandbox/index.js';
import { freePort, type Shutdown } from '../../src/local/index.js';
import { SOAK_FILTERS } from '../calls/arguments.js';
import { createDatabase, openBridgeLogin, postgresUp, soakFolder, temporalUp } from '../servers.js';
import { startBridgeProcess, startWorkerProcess } from '../worker-process.js';
import { openWorld, type World } from '../world.js';
import { startCollector } from './collector.js';
import { makeCanaries, payloadKey, type Canaries } from './canaries.js';
import type { Mode } from './places.js';

export interface Installation {
  readonly world: World;
  readonly canaries: Canaries;
  /** Where webhooks go, and what signs them. */
  readonly webhook: { readonly url: string; readonly secret: string; readonly token: string };
  /** Environment of a person who runs commands. */
  readonly env: Readonly<Record<string, string>>;
  /** What a worker and a bridge have written so far, on both outputs. */
  readonly written: { readonly worker: Buffer[]; readonly bridge: Buffer[] };
  readonly paths: {
    readonly postgresLog: string;
    readonly temporalLog: string;
    readonly temporal: string;
    readonly files: string;
  };
  /** What they and the commands have sent to their collector so far. */
  readonly traces: readonly Buffer[];
  /** Metrics and readiness of both programs. */
  readonly pages: readonly string[];
  /** Secrets of the installation that are not canaries: passwords and keys. */
  readonly secrets: readonly string[];
  stopPrograms(): Promise<void>;
}

/**
 * What PostgreSQL logs: as much as it can of failed statements, whose values our transactions keep out. Values of successful
 * statements only a superuser can keep out: `log_parameter_max_length` is 0, as docs/operations.md asks.
 */
const LOGGING = {
  log_min_error_statement: 'error',
  log_min_duration_statement: '0',
  log_statement: 'ddl',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '1024',
  log_lock_waits: 'on',
};

export async function install(
  shutdown: Shutdown,
  { mode, seed }: { readonly mode: Mode; readonly seed: number },
): Promise<Installation> {
  const folder = soakFolder();
  shutdown.add({ name: 'canary folder', stop: () => rmSync(folder, { recursive: true, force: true }) });
  const [postgres, temporal] = await Promise.all([postgresUp(folder), temporalUp(folder)]);
  shutdown.add({ name: 'PostgreSQL', stop: () => postgres.stop() });
  shutdown.add(temporal);
  const canaries = makeCanaries(seed, API_KEYS.works);
  const [workerOps = '', bridgeOps = '', listen = ''] = await Promise.all(
    Array.from({ length: 3 }, async () => `127.0.0.1:${await freePort()}`),
  );
  const keys = mode === 'keys on' ? { TRAMITA_PAYLOAD_KEYS: `${payloadKey('k2')},${payloadKey('k1')}` } : undefined;
  const collector = await startCollector(shutdown);
  const level = { TRAMITA_LOG_LEVEL: 'debug', ...collector.env };
  const world = await openWorld(shutdown, {
    servers: { temporalAddress: temporal.address, databaseUrl: postgres.url },
    databaseUrl: await createDatabase(postgres.url, 'canary'),
    filters: SOAK_FILTERS,
    webhooks: true,
    sandbox: { refreshMs: 500, coverageMs: 0, webhookMaxAttempts: 2 },
    env: { ...level, TRAMITA_WORKER_OPS_LISTEN: workerOps, ...keys },
  });
  for (const [name, value] of Object.entries(LOGGING))
    await sql.raw(`alter system set ${name} = '${value}'`).execute(world.db);
  await sql`select pg_reload_conf()`.execute(world.db);
  const databaseUrl = world.env['TRAMITA_DATABASE_URL'] ?? '';
  const bridgeUrl = await openBridgeLogin(databaseUrl);

  const [token = ''] = canaries.tokens;
  const webhook = { url: `http://${listen}/webhooks`, secret: canaries.webhookSecret, token };
  const signed = { TRAMITA_WEBHOOK_SECRETS: webhook.secret, TRAMITA_WEBHOOK_TOKENS: webhook.token };
  const written = { worker: [] as Buffer[], bridge: [] as Buffer[] };
  const [bridge, worker] = await Promise.all([
    startBridgeProcess(
      {
        TEMPORAL_ADDRESS: temporal.address,
        TRAMITA_BRIDGE_DATABASE_URL: bridgeUrl.href,
        TRAMITA_BRIDGE_LISTEN: listen,
        TRAMITA_BRIDGE_OPS_LISTEN: bridgeOps,
        ...level,
        ...signed,
        ...keys,
      },
      { onWritten: (chunk) => written.bridge.push(chunk) },
    ),
    startWorkerProcess(world.env, { onWritten: (chunk) => written.worker.push(chunk) }),
  ]);
  const stopPrograms = async (): Promise<void> => {
    await Promise.all([worker.kill(), bridge.kill()]);
  };
  shutdown.add({ name: 'programs', stop: stopPrograms });
  await world.service.control('/webhook', webhook);
  return {
    world,
    canaries,
    webhook,
    written,
    stopPrograms,
    traces: collector.received,
    env: { ...world.env, ...signed },
    paths: {
      postgresLog: join(folder, 'postgres.log'),
      temporalLog: join(folder, 'temporal.log'),
      temporal: join(folder, 'temporal'),
      files: world.env['TRAMITA_FILES_DIR'] ?? '',
    },
    pages: [workerOps, bridgeOps].flatMap((ops) => [`http://${ops}/metrics`, `http://${ops}/readyz`]),
    secrets: [
      ...[bridgeUrl.password, new URL(databaseUrl).password, world.env['TRAMITA_ID_KEY'] ?? ''],
      ...(world.env['TRAMITA_PAYLOAD_KEYS'] ?? '').split(',').flatMap((entry) => entry.split(':').slice(1)),
    ],
  };
}
