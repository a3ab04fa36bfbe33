/** The soak's own Temporal and PostgreSQL, in a separate folder, so that they can be killed and restarted. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import {
  findTemporalServer,
  startPostgres,
  startTemporalServer,
  type PostgresServer,
  type TemporalPorts,
  type TemporalServer,
} from '../src/local/index.js';
import { SEARCH_ATTRIBUTES } from '../src/protocol/index.js';
import { BRIDGE_ROLE, migrate } from '../src/store/index.js';

export interface Servers {
  readonly temporalAddress: string;
  readonly databaseUrl: string;
  /** Pids of the current processes. */
  pids(): { readonly temporal: number; readonly postgres: number };
  /** SIGKILL, then a restart on the same files and port; resolves when it answers. */
  restartTemporal(): Promise<void>;
  restartPostgres(): Promise<void>;
  stop(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const folder = soakFolder();
  let [postgres, temporal] = await Promise.all([postgresUp(folder), temporalUp(folder)]);
  await migrate(postgres.url);
  return {
    temporalAddress: temporal.address,
    databaseUrl: postgres.url,
    pids: () => ({ temporal: temporal.pid, postgres: postgres.pid }),
    restartTemporal: async () => {
      const { pid, address, uiUrl, ended } = temporal;
      process.kill(pid, 'SIGKILL');
      await ended;
      const ports = { grpc: Number(new URL(`http://${address}`).port), ui: Number(new URL(uiUrl).port) };
      temporal = await temporalUp(folder, { ports });
    },
    restartPostgres: async () => {
      const { pid, port } = postgres;
      process.kill(pid, 'SIGKILL');
      postgres = await postgresUp(folder, { port });
    },
    stop: async () => {
      await Promise.allSettled([postgres.stop(), temporal.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function soakFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tramita-soak-'));
  // PostgreSQL runs as another account when we are root, and has to get through
  chmodSync(folder, 0o711);
  return folder;
}

export function postgresUp(
  folder: string,
  more: { readonly port?: number; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<PostgresServer> {
  return startPostgres({
    dataDir: join(folder, 'postgres'),
    logFile: join(folder, 'postgres.log'),
    env: process.env,
    ...more,
    onProgress: () => undefined,
  });
}

export async function temporalUp(
  folder: string,
  more: { readonly ports?: TemporalPorts; readonly onExit?: () => void } = {},
): Promise<TemporalServer> {
  const { executable } = await findTemporalServer({ env: process.env, onProgress: () => undefined });
  return startTemporalServer({
    executable,
    dataDir: join(folder, 'temporal'),
    logFile: join(folder, 'temporal.log'),
    env: process.env,
    searchAttributes: Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 'Keyword'])),
    ...more,
  });
}

/** Creates an empty database on this server; returns its URL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Lets the narrow role of the bridge log in with a random password; returns its URL. */
export async function openBridgeLogin(databaseUrl: string): Promise<URL> {
  const bridgeUrl = new URL(databaseUrl);
  bridgeUrl.username = BRIDGE_ROLE;
  bridgeUrl.password = randomBytes(16).toString('hex');
  await migrate(databaseUrl, { bridgeUrl: bridgeUrl.href });
  return bridgeUrl;
}
