/** The servers that hold the engines' state: PostgreSQL (which counts statements), Temporal, and Redis and Restate if available. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { freePort, superviseProcess, type Shutdown } from '../../src/local/index.js';
import { postgresUp, soakFolder, temporalUp } from '../../soak/servers.js';
import { MODULES, type Restate } from './settings.js';

export interface Server<Address> {
  readonly pid: number;
  readonly address: Address;
}

export interface EngineServers {
  readonly folder: string;
  readonly postgres: Server<string>;
  readonly temporal: Server<string>;
  readonly redis?: Server<number>;
  readonly restate?: Server<Restate>;
}

export interface Wanted {
  readonly redis: boolean;
  readonly restate: boolean;
}

/** Path of the program with this name, or undefined. */
export function findRedis(): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'));
  return places.find((file) => existsSync(file));
}

/** The binary for this platform, which its npm package contains. */
export function findRestate(): string | undefined {
  const file = join(
    MODULES,
    '@restatedev',
    `restate-server-${process.platform}-${process.arch}`,
    'bin',
    'restate-server',
  );
  return existsSync(file) ? file : undefined;
}

export async function startEngineServers(shutdown: Shutdown, wanted: Wanted): Promise<EngineServers> {
  const folder = soakFolder();
  shutdown.add({ name: 'folder', stop: () => rmSync(folder, { recursive: true, force: true }) });
  const postgres = await postgresUp(folder, {
    settings: { shared_preload_libraries: 'pg_stat_statements', max_connections: '300' },
  });
  shutdown.add({ name: 'PostgreSQL', stop: () => postgres.stop() });
  const temporal = await temporalUp(folder, { onExit: () => shutdown.request('the Temporal server has ended') });
  shutdown.add(temporal);
  return {
    folder,
    postgres: { pid: postgres.pid, address: postgres.url },
    temporal: { pid: temporal.pid, address: temporal.address },
    ...(wanted.redis ? { redis: await startRedis(shutdown, folder) } : {}),
    ...(wanted.restate ? { restate: await startRestate(shutdown, folder) } : {}),
  };
}

/** Every command is on disk before it is answered, like every commit of PostgreSQL. */
async function startRedis(shutdown: Shutdown, folder: string): Promise<Server<number>> {
  const port = await freePort();
  const dataDir = join(folder, 'redis');
  mkdirSync(dataDir);
  const redis = await superviseProcess({
    name: 'Redis',
    command: findRedis() ?? 'redis-server',
    logFile: join(folder, 'redis.log'),
    args: [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', dataDir, '--save', ''],
      ...['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'],
    ],
    env: process.env,
    onExit: () => shutdown.request('Redis has ended'),
  });
  shutdown.add(redis);
  return { pid: redis.pid, address: port };
}

/** Its log is on disk before it is answered (`rocksdb-disable-wal-fsync = false`, its default). */
async function startRestate(shutdown: Shutdown, folder: string): Promise<Server<Restate>> {
  const [ingressPort, adminPort, nodePort] = [await freePort(), await freePort(), await freePort()];
  const dataDir = join(folder, 'restate');
  mkdirSync(dataDir);
  const admin = `http://127.0.0.1:${adminPort}`;
  const restate = await superviseProcess({
    name: 'Restate',
    command: findRestate() ?? '',
    logFile: join(folder, 'restate.log'),
    args: ['--base-dir', dataDir, '--no-logo', '--listen-mode', 'tcp'],
    env: {
      ...process.env,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'error',
      RESTATE_BIND_IP: '127.0.0.1',
      RESTATE_BIND_PORT: String(nodePort),
      RESTATE_ADVERTISED_HOST: '127.0.0.1',
      RESTATE_INGRESS__BIND_IP: '127.0.0.1',
      RESTATE_INGRESS__BIND_PORT: String(ingressPort),
      RESTATE_ADMIN__BIND_IP: '127.0.0.1',
      RESTATE_ADMIN__BIND_PORT: String(adminPort),
    },
    isReady: async () => (await fetch(`${admin}/health`).catch(() => undefined))?.ok === true,
    onExit: () => shutdown.request('Restate has ended'),
  });
  shutdown.add(restate);
  return { pid: restate.pid, address: { ingress: `http://127.0.0.1:${ingressPort}`, admin } };
}
