/**
 * The servers of a cluster: PostgreSQL, two Temporal nodes on it, a balancer in front of their frontends. Each can be killed
 * with SIGKILL and restarted on its files and ports.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import {
  findClusterServer,
  freePort,
  startPostgres,
  waitUntil,
  type ClusterServer,
  type OnProgress,
  type PostgresServer,
  type ProcessIdentity,
  type Shutdown,
  type SupervisedProcess,
} from '../../src/local/index.js';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/index.js';
import { KEYWORD } from '../../src/temporal-client/index.js';
import { patiently } from '../patiently.js';
import { createDatabase } from '../servers.js';
import { createBalancer, type Balancer } from './balancer.js';
import {
  frontendOf,
  MAX_CONNECTIONS,
  NODE_DATABASES,
  NODE_HOSTS,
  NODE_PORTS,
  startNode,
  watchFrontend,
  type NodePlace,
  type NodePorts,
} from './node.js';

export interface ClusterNode {
  /** Address of its frontend. */
  readonly address: string;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Resolves when it serves requests. */
  start(): Promise<void>;
}

export interface ClusterServers {
  /** Address of the balancer, for workers and clients. */
  readonly temporalAddress: string;
  readonly balancer: Pick<Balancer, 'targets'>;
  readonly nodes: readonly ClusterNode[];
  readonly databaseUrl: string;
  /** SIGKILL, then a restart on the same files and port; resolves when it answers. */
  restartPostgres(): Promise<void>;
}

export interface ClusterOptions {
  readonly folder: string;
  readonly onProgress: OnProgress;
  /** Called as soon as a process exists, to record its pid. */
  readonly onSpawn?: (process: { name: string; identity: ProcessIdentity; stopSignal?: NodeJS.Signals }) => void;
}

/** `setup-schema` creates the table of versions, `update-schema` everything else: the tool contains the schema. */
const SCHEMA_VERSION_BEFORE_ALL = '0.0';
const SCHEMA_WITHIN_MS = 60_000;
const NAMESPACE = 'default';
const RETENTION = '3 days';
const KNOWN_WITHIN_MS = 60_000;

export async function startClusterServers(
  shutdown: Pick<Shutdown, 'add' | 'signal' | 'request'>,
  { folder, onProgress, onSpawn }: ClusterOptions,
): Promise<ClusterServers> {
  const { env } = process;
  const tools = await findClusterServer({ env, onProgress, signal: shutdown.signal });
  const postgresUp = (port?: number): Promise<PostgresServer> =>
    startPostgres({
      dataDir: join(folder, 'postgres'),
      logFile: join(folder, 'postgres.log'),
      env,
      onProgress,
      ...(port === undefined ? {} : { port }),
      settings: { max_connections: String(MAX_CONNECTIONS) },
      onSpawn: (identity) => onSpawn?.({ name: 'postgres', identity, stopSignal: 'SIGINT' }),
    });
  let postgres = await postgresUp();
  shutdown.add({ name: 'PostgreSQL', stop: () => postgres.stop(), stopNow: () => postgres.stopNow() });
  const { url: databaseUrl } = postgres;
  await makeSchemas(databaseUrl, tools);

  const ports = await freePorts();
  const places = NODE_HOSTS.map((host): NodePlace => ({ host, ports, databaseUrl, folder }));
  const targets = places.map((place) => watchFrontend(frontendOf(place)));
  const nodes: ClusterNode[] = [];
  for (const [index, place] of places.entries()) {
    const target = targets[index] as (typeof targets)[number];
    const name = `temporal-${place.host}`;
    let node: SupervisedProcess | undefined;
    let isKilled = false;
    const start = async (): Promise<void> => {
      isKilled = false;
      node = await startNode(place, {
        server: tools.server,
        target,
        signal: shutdown.signal,
        onSpawn: (identity) => onSpawn?.({ name, identity }),
        onExit: ({ how }) => {
          if (isKilled) return;
          onProgress({ about: 'temporal', kind: 'step', text: `${name} ended (${how}) and is started again` });
          patiently(start).catch((error: unknown) => shutdown.request(String(error)));
        },
      });
    };
    // One after another: two concurrent first starts race for the metadata of the cluster, and one of them ends.
    await start();
    shutdown.add({ name: `Temporal node ${place.host}`, stop: () => node?.stop(), stopNow: () => node?.stopNow() });
    if (index === 0) await makeNamespace(target.address);
    nodes.push({
      address: target.address,
      start,
      kill: async () => {
        isKilled = true;
        if (node !== undefined) sendKill(node.pid);
        await node?.ended;
      },
    });
  }
  await Promise.all(nodes.map(({ address }) => knowsNamespace(address)));
  const balancer = await createBalancer(targets);
  shutdown.add({
    name: 'balancer',
    stop: async () => {
      await balancer.close();
      await Promise.all(targets.map((target) => target.close()));
    },
  });
  return {
    temporalAddress: balancer.address,
    balancer,
    nodes,
    databaseUrl,
    restartPostgres: async () => {
      const { pid, port } = postgres;
      sendKill(pid);
      postgres = await postgresUp(port);
    },
  };
}

/** The process may have ended by itself. */
function sendKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function freePorts(): Promise<NodePorts> {
  const ports: Partial<Record<keyof NodePorts, number>> = {};
  for (const name of NODE_PORTS) ports[name] = await freePort({ hosts: NODE_HOSTS });
  return ports as NodePorts;
}

export async function makeSchemas(databaseUrl: string, { sqlTool }: ClusterServer): Promise<void> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  for (const [schema, database] of [
    ['temporal', NODE_DATABASES.store],
    ['visibility', NODE_DATABASES.visibility],
  ] as const) {
    await createDatabase(databaseUrl, database);
    const run = (...args: string[]): Promise<unknown> =>
      promisify(execFile)(
        sqlTool,
        ['--plugin', 'postgres12', '--ep', hostname, '-p', port, '--db', database, ...args],
        {
          env: { SQL_USER: username, SQL_PASSWORD: decodeURIComponent(password) },
          timeout: SCHEMA_WITHIN_MS,
        },
      );
    await run('setup-schema', '-v', SCHEMA_VERSION_BEFORE_ALL);
    await run('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

/** Creates `default` with our search attributes, as the development server has it. */
export async function makeNamespace(address: string, tls?: ConnectionOptions['tls']): Promise<void> {
  const searchAttributes = Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, KEYWORD]));
  await withConnection(
    { address, ...(tls === undefined ? {} : { tls }) },
    async ({ workflowService, operatorService }) => {
      await workflowService.registerNamespace({
        namespace: NAMESPACE,
        workflowExecutionRetentionPeriod: msToTs(RETENTION),
      });
      await operatorService.addSearchAttributes({ namespace: NAMESPACE, searchAttributes });
    },
  );
}

/** A frontend reloads its namespaces every ten seconds; until then it refuses our starts. */
function knowsNamespace(address: string): Promise<void> {
  const query = `${SEARCH_ATTRIBUTES.flow} = "none"`;
  return withConnection({ address }, ({ workflowService }) =>
    waitUntil({
      what: `the namespace at ${address}`,
      deadlineMs: KNOWN_WITHIN_MS,
      check: () =>
        workflowService.countWorkflowExecutions({ namespace: NAMESPACE, query }).then(
          () => true,
          () => false,
        ),
    }),
  );
}

async function withConnection(
  options: ConnectionOptions,
  use: (connection: Connection) => Promise<void>,
): Promise<void> {
  const connection = await Connection.connect(options);
  try {
    await use(connection);
  } finally {
    await connection.close();
  }
}
