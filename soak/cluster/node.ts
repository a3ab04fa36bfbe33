/**
 * One node of a Temporal cluster: a process with all four services, on a loopback address of its own. The nodes of a cluster
 * have the same ports, because a node finds the services of another node by its own port numbers. Linux has every 127.x.y.z
 * without any set-up; on macOS `sudo ifconfig lo0 alias 127.0.0.2` adds one.
 */
import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { superviseProcess, type SupervisedProcess, type SuperviseOptions } from '../../src/local/index.js';
import type { Target } from './balancer.js';

/** Addresses of the nodes, one for each. */
export const NODE_HOSTS = ['127.0.0.1', '127.0.0.2'] as const;

const SERVICES = ['frontend', 'history', 'matching', 'worker'] as const;
type Service = (typeof SERVICES)[number];
export const NODE_PORTS = SERVICES.flatMap((service) => [`${service}Grpc`, `${service}Membership`] as const);
export type NodePorts = Readonly<Record<(typeof NODE_PORTS)[number], number>>;

/** Fixed for the life of a cluster. */
const SHARDS = 32;
/** Each of the four services has its own connection pool for each of the two databases. */
const STORE_CONNECTIONS = 15;
const VISIBILITY_CONNECTIONS = 5;
/** Must be enough for all these connections and ours. */
export const MAX_CONNECTIONS = 300;
/** A few seconds on a quiet machine, including joining the other node and taking over its shards. */
const READY_WITHIN_MS = 120_000;
const HEALTH_WITHIN_MS = 1_000;
/** The name of the frontend in gRPC's health service. */
const FRONTEND = 'temporal.api.workflowservice.v1.WorkflowService';

export interface NodePlace {
  readonly host: string;
  readonly ports: NodePorts;
  /** Connection to PostgreSQL, with role and password. */
  readonly databaseUrl: string;
  /** Folder for its configuration and log. */
  readonly folder: string;
  /** `global.tls` of the server; absent: plain text. */
  readonly tls?: object;
}

export function frontendOf({ host, ports }: Pick<NodePlace, 'host' | 'ports'>): string {
  return `${host}:${ports.frontendGrpc}`;
}

/** Resolves when the frontend serves requests. */
export async function startNode(
  place: NodePlace,
  { server, target, ...options }: NodeOptions,
): Promise<SupervisedProcess> {
  const { host, folder } = place;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `node-${host}.json`);
  // JSON is valid YAML.
  await writeFile(file, JSON.stringify(buildNodeConfig(place)), { mode: 0o600 });
  return superviseProcess({
    name: `Temporal node ${host}`,
    command: server,
    args: ['--config-file', file, '--allow-no-auth', 'start'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    cwd: folder,
    logFile: join(folder, `node-${host}.log`),
    readyWithinMs: READY_WITHIN_MS,
    isReady: () => target.isHealthy(),
    ...options,
  });
}

interface NodeOptions extends Pick<SuperviseOptions, 'onExit' | 'onSpawn' | 'signal'> {
  readonly server: string;
  readonly target: Target;
}

/** Health check of a frontend, over a connection that stays open. */
export function watchFrontend(address: string, tls?: ConnectionOptions['tls']): Target & { close(): Promise<void> } {
  const connection = Connection.lazy({
    address,
    ...(tls === undefined ? {} : { tls }),
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 200, 'grpc.max_reconnect_backoff_ms': 500 },
    interceptors: [],
  });
  return {
    address,
    isHealthy: async () => {
      const ask = (): Promise<{ status?: unknown }> => connection.healthService.check({ service: FRONTEND });
      try {
        return isServing((await connection.withDeadline(Date.now() + HEALTH_WITHIN_MS, ask)).status);
      } catch {
        return false;
      }
    },
    close: () => connection.close(),
  };
}

/** `grpc.health.v1.HealthCheckResponse.ServingStatus`: 1 is SERVING. */
function isServing(status: unknown): boolean {
  return status === 1 || status === 'SERVING';
}

/** The server's defaults, except for what identifies this place. */
function buildNodeConfig({ host, ports, databaseUrl, tls }: NodePlace): object {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const datastore = (databaseName: string, connections: number): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `${hostname}:${port}`,
      connectProtocol: 'tcp',
      user: username,
      password: decodeURIComponent(password),
      maxConns: connections,
      maxIdleConns: connections,
    },
  });
  const service = (name: Service): object => ({
    rpc: { grpcPort: ports[`${name}Grpc`], membershipPort: ports[`${name}Membership`], bindOnIP: host },
  });
  const frontend = frontendOf({ host, ports });
  const active = { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: frontend };
  return {
    log: { stdout: true, level: 'warn' },
    persistence: {
      defaultStore: 'store',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: {
        store: datastore(NODE_DATABASES.store, STORE_CONNECTIONS),
        visibility: datastore(NODE_DATABASES.visibility, VISIBILITY_CONNECTIONS),
      },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: host }, ...(tls === undefined ? {} : { tls }) },
    services: Object.fromEntries(SERVICES.map((name) => [name, service(name)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: frontend },
  };
}

/** Databases of the nodes, by the server's name for their schema. */
export const NODE_DATABASES = { store: 'temporal', visibility: 'temporal_visibility' } as const;
