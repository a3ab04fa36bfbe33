/** Everything a soak runs against: Temporal and PostgreSQL (given, or started for it), a sandbox, settings, a client. */
import { mkdtempSync, writeFileSync, chmodSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type Connection } from '@temporalio/client';
import { sql } from 'kysely';
import { createTokens, loadTemporalConnection, resolveConfig, type Config } from '../src/config/index.js';
import {
  claimStack,
  findTemporalServer,
  startPostgres,
  startTemporalServer,
  type Shutdown,
} from '../src/local/index.js';
import { SEARCH_ATTRIBUTES } from '../src/protocol/index.js';
import { connect, migrate, type Database } from '../src/store/index.js';
import { connectClient } from '../src/temporal-client/index.js';
import {
  controlOf,
  startSandbox,
  type Charge,
  type Control,
  type ReceivedRequest,
  type Sandbox,
  type SandboxOptions,
} from '../sandbox/index.js';

export interface World {
  readonly env: Readonly<Record<string, string>>;
  readonly config: Config;
  readonly client: Client;
  readonly db: Database;
  readonly sandbox: Sandbox;
  readonly token: (kind: string, value: unknown) => string;
  charges(): Promise<readonly Charge[]>;
  requests(): Promise<readonly ReceivedRequest[]>;
  /** Asked again where a connection of it was closed. */
  readonly control: Control;
}

export interface WorldOptions {
  /** Servers that are up; else those of the environment, else new ones. */
  readonly servers?: { readonly temporalAddress: string; readonly databaseUrl: string };
  /** A migrated database; else a new one on the server. */
  readonly databaseUrl?: string;
  /** What the workers are told instead of the addresses of the servers: wires that can be cut. */
  readonly wires?: { readonly temporal: string; readonly postgres: string };
  /** Members of the account `default` in the configuration file. */
  readonly account?: Readonly<Record<string, unknown>>;
  /** Other options of the sandbox. */
  readonly sandbox?: SandboxOptions;
}

export async function openWorld(shutdown: Shutdown, options: WorldOptions = {}): Promise<World> {
  const root = mkdtempSync(join(tmpdir(), 'tramita-soak-'));
  chmodSync(root, 0o711);
  shutdown.add({ name: 'soak folder', stop: () => rm(root, { recursive: true, force: true }) });
  const stack = await claimStack({ root, onProgress: quiet });
  shutdown.add({ name: 'stack record', stop: stack.release });
  const { env } = process;
  const { servers, wires } = options;
  const temporalAddress =
    servers?.temporalAddress ?? env['TRAMITA_TEST_TEMPORAL_ADDRESS'] ?? env['TEMPORAL_ADDRESS'] ?? (await temporalUp());
  const databaseUrl = options.databaseUrl ?? (await madeDatabase());
  const sandbox = await startSandbox({
    refreshMs: 300,
    pollAfterMs: 200,
    requestLogSize: 1_000_000,
    openingBalance: '1000000',
    dialect: { debitAt: 'answer' },
    rateLimits: { legacyPerMinute: 0, perMinute: 0 },
    ...options.sandbox,
  });
  shutdown.add({ name: 'sandbox', stop: () => sandbox.close() });
  const settings = join(root, 'settings.json');
  const account = { outageAfter: 0, concurrency: 20, requestsPerMinute: 60_000, ...options.account };
  writeFileSync(settings, JSON.stringify({ accounts: { default: account } }));
  const taskQueue = `soak-${process.pid}-${Date.now().toString(36)}`;
  const worldEnv = {
    TRAMITA_API_URL: sandbox.url,
    TRAMITA_API_KEY: 'sandbox-key',
    TRAMITA_DATABASE_URL: databaseUrl,
    TRAMITA_TASK_QUEUE: taskQueue,
    TRAMITA_ID_KEY: 'id-key-of-the-soak-0123456789abcdef',
    TRAMITA_FILES_DIR: join(root, 'files'),
    TRAMITA_DOWNLOAD_HOSTS: sandbox.documentsUrl,
    TRAMITA_CONFIG: settings,
    TRAMITA_LOG_LEVEL: 'error',
    TEMPORAL_ADDRESS: temporalAddress,
  };
  const connection: Connection = connectClient(loadTemporalConnection(worldEnv));
  shutdown.add({ name: 'client', stop: () => connection.close() });
  const db = connect({ url: databaseUrl, applicationName: 'tramita soak', max: 8 });
  shutdown.add({ name: 'database', stop: () => db.destroy() });
  const ask = controlOf(sandbox.controlUrl);
  const control = async <T>(path: string, body?: unknown): Promise<T> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask<T>(path, body);
      } catch (error) {
        // F0 closes connections, now and then one of ours.
        if (attempt === 5 || (error as Error).message.startsWith('tramita: ')) throw error;
      }
    }
  };
  return {
    ...{ env: { ...worldEnv, ...throughWires(databaseUrl, wires) }, sandbox, db, control },
    config: resolveConfig({ env: worldEnv }),
    client: new Client({ connection }),
    token: createTokens(worldEnv.TRAMITA_ID_KEY).token,
    charges: async () => (await control<{ charges: Charge[] }>('/charges')).charges,
    requests: async () => (await control<{ requests: ReceivedRequest[] }>('/requests')).requests,
  };

  async function madeDatabase(): Promise<string> {
    const given = servers?.databaseUrl ?? env['TRAMITA_TEST_DATABASE_URL'] ?? env['TRAMITA_DATABASE_URL'];
    const url = await newDatabase(given ?? (await postgresUp()));
    await migrate(url);
    return url;
  }

  async function temporalUp(): Promise<string> {
    const { executable } = await findTemporalServer({ env, onProgress: quiet, signal: shutdown.signal });
    const temporal = await startTemporalServer({
      executable,
      dataDir: stack.dataDir('temporal'),
      logFile: stack.logFile('temporal'),
      env,
      signal: shutdown.signal,
      searchAttributes: Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 'Keyword'])),
      onSpawn: (identity) => stack.recordProcess({ name: 'temporal', identity }),
      onExit: ({ name, how }) => shutdown.request(`${name}: ${how}`),
    });
    shutdown.add(temporal);
    return temporal.address;
  }

  async function postgresUp(): Promise<string> {
    const postgres = await startPostgres({
      dataDir: stack.dataDir('postgres'),
      logFile: stack.logFile('postgres'),
      env,
      onProgress: quiet,
      onSpawn: (identity) => stack.recordProcess({ name: 'postgres', identity, stopSignal: 'SIGINT' }),
    });
    shutdown.add({ name: 'PostgreSQL', ...postgres });
    return postgres.url;
  }
}

function throughWires(databaseUrl: string, wires: WorldOptions['wires']): Readonly<Record<string, string>> {
  if (wires === undefined) return {};
  const url = new URL(databaseUrl);
  url.host = wires.postgres;
  return { TRAMITA_DATABASE_URL: url.href, TEMPORAL_ADDRESS: wires.temporal };
}

async function newDatabase(serverUrl: string): Promise<string> {
  const name = `soak_${Date.now().toString(36)}_${process.pid}`;
  const admin = connect({ url: serverUrl, applicationName: 'tramita soak', max: 1 });
  try {
    await sql.raw(`create database ${name}`).execute(admin);
  } finally {
    await admin.destroy();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

function quiet(): void {
  // Progress of servers is not what a soak is about.
}
