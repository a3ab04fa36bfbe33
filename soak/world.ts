/**
 * Everything that a soak runs against: Temporal and PostgreSQL (given, or started for it), sandboxes in this process, settings,
 * a client, the flows and the person who decides about them. Each account has its own sandbox, and so its own charge book.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import type { SandboxOptions } from '../sandbox/index.js';
import { createTokens, loadTemporalConnection, resolveConfig, type Config } from '../src/config/index.js';
import type { Gaps } from '../src/contract/index.js';
import type { Shutdown } from '../src/local/index.js';
import { connect, migrate, type Database } from '../src/store/index.js';
import { connectClient, createDataConverter } from '../src/temporal-client/index.js';
import { createFlowBook, type FlowBook } from './flow-book.js';
import { createDatabase, postgresUp, soakFolder, temporalUp } from './servers.js';
import { startService, type Service } from './service.js';

export interface World {
  /** Environment of worker processes. */
  readonly env: Readonly<Record<string, string>>;
  readonly config: Config;
  readonly client: Client;
  readonly db: Database;
  readonly taskQueue: string;
  readonly token: (kind: string, value: unknown) => string;
  /** The service of account `default`. */
  readonly service: Service;
  /** Services by account. */
  readonly services: Readonly<Record<string, Service>>;
  readonly flows: FlowBook;
}

export interface WorldOptions {
  /** Running servers; otherwise those of the environment, or else new ones. */
  readonly servers?: { readonly temporalAddress: string; readonly databaseUrl: string };
  /** A migrated database; otherwise a new one on the server. */
  readonly databaseUrl?: string;
  /** Addresses that the workers get instead of the servers' own: wires that can be cut. */
  readonly wires?: { readonly temporal: string; readonly postgres: string };
  /** Members that every account has in the configuration file. */
  readonly account?: Readonly<Record<string, unknown>>;
  /** Options of the sandbox of account `default`. */
  readonly sandbox?: SandboxOptions;
  /** Further accounts, each with a sandbox of these options. */
  readonly accounts?: Readonly<Record<string, SandboxOptions>>;
  /** Adds account `tls`: the sandbox of `default` behind TLS. */
  readonly tls?: boolean;
  /** Flows expect webhooks, because there is a bridge. */
  readonly webhooks?: boolean;
  readonly filters?: Gaps['filters'];
  /** Environment of worker processes and of the harness's client; overrides the values set here. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openWorld(shutdown: Shutdown, options: WorldOptions = {}): Promise<World> {
  const root = soakFolder();
  shutdown.add({ name: 'soak folder', stop: () => rmSync(root, { recursive: true, force: true }) });
  const { env: outer } = process;
  const { servers, accounts: further = {} } = options;
  const temporalAddress =
    servers?.temporalAddress ??
    outer['TRAMITA_TEST_TEMPORAL_ADDRESS'] ??
    outer['TEMPORAL_ADDRESS'] ??
    (await startTemporal());
  const databaseUrl = options.databaseUrl ?? (await makeDatabase());
  const services: Record<string, Service> = {};
  for (const [name, sandbox = {}] of Object.entries({ default: options.sandbox, ...further })) {
    const service = await startService(name, sandbox);
    services[name] = service;
    shutdown.add({ name: `sandbox ${name}`, stop: () => service.sandbox.close() });
  }
  const service = services['default'] as Service;

  const limits = { outageAfter: 0, concurrency: 20, requestsPerMinute: 60_000, ...options.account };
  const accountAt = (apiUrl: string): object => ({ ...limits, apiUrl, apiKeyEnv: 'TRAMITA_API_KEY' });
  const accounts = {
    ...Object.fromEntries(Object.entries(services).map(([name, { sandbox }]) => [name, accountAt(sandbox.url)])),
    default: limits,
    ...(options.tls === true ? { tls: accountAt(service.sandbox.tlsUrl) } : {}),
  };
  const { filters = {} } = options;
  const settings = join(root, 'settings.json');
  writeFileSync(settings, JSON.stringify({ accounts, gaps: { filters } }));
  const certificate = join(root, 'sandbox.pem');
  writeFileSync(certificate, (await service.control<{ certificate: string }>('/tls')).certificate);
  // No worker creates a missing file store, because it may be a missing mount.
  const files = join(root, 'files');
  mkdirSync(files);
  const taskQueue = `soak-${process.pid}-${Date.now().toString(36)}`;
  const env = {
    TRAMITA_API_URL: service.sandbox.url,
    TRAMITA_API_KEY: 'sandbox-key',
    TRAMITA_DATABASE_URL: databaseUrl,
    TRAMITA_TASK_QUEUE: taskQueue,
    TRAMITA_ID_KEY: 'id-key-of-the-soak-0123456789abcdef',
    TRAMITA_FILES_DIR: files,
    TRAMITA_DOWNLOAD_HOSTS: Object.values(services)
      .map(({ sandbox }) => sandbox.documentsUrl)
      .join(','),
    TRAMITA_CONFIG: settings,
    TRAMITA_LOG_LEVEL: 'error',
    TRAMITA_WEBHOOKS: options.webhooks === true ? 'on' : 'off',
    TEMPORAL_ADDRESS: temporalAddress,
    NODE_EXTRA_CA_CERTS: certificate,
    ...options.env,
  };
  const temporal = loadTemporalConnection(env);
  const connection = connectClient(temporal);
  shutdown.add({ name: 'client', stop: () => connection.close() });
  const db = connect({ url: databaseUrl, applicationName: 'tramita soak', max: 8 });
  shutdown.add({ name: 'database', stop: () => db.destroy() });
  const client = new Client({ connection, dataConverter: createDataConverter(temporal) });
  return {
    client,
    db,
    taskQueue,
    service,
    services,
    env: { ...env, ...throughWires(databaseUrl, options.wires) },
    config: resolveConfig({ env }),
    token: createTokens(env.TRAMITA_ID_KEY).token,
    flows: createFlowBook({ client, taskQueue }),
  };

  async function startTemporal(): Promise<string> {
    const temporal = await temporalUp(root, { onExit: () => shutdown.request('the Temporal server has ended') });
    shutdown.add(temporal);
    return temporal.address;
  }

  async function makeDatabase(): Promise<string> {
    const given = servers?.databaseUrl ?? outer['TRAMITA_TEST_DATABASE_URL'] ?? outer['TRAMITA_DATABASE_URL'];
    if (given !== undefined) return newDatabase(given);
    const postgres = await postgresUp(root);
    shutdown.add({ name: 'PostgreSQL', stop: () => postgres.stop() });
    return newDatabase(postgres.url);
  }
}

/** The same database at another address. */
export function throughWire(databaseUrl: string, address: string): string {
  const url = new URL(databaseUrl);
  url.host = address;
  return url.href;
}

function throughWires(databaseUrl: string, wires: WorldOptions['wires']): Readonly<Record<string, string>> {
  if (wires === undefined) return {};
  return { TRAMITA_DATABASE_URL: throughWire(databaseUrl, wires.postgres), TEMPORAL_ADDRESS: wires.temporal };
}

async function newDatabase(serverUrl: string): Promise<string> {
  const url = await createDatabase(serverUrl, `soak_${Date.now().toString(36)}_${process.pid}`);
  await migrate(url);
  return url;
}
