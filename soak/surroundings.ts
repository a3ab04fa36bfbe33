/** The soak's own servers, which can be restarted, wires to them that can be cut, and a database that can fail over. */
import { rmSync } from 'node:fs';
import type { Shutdown } from '../src/local/index.js';
import { startClusterServers, type ClusterOptions, type ClusterServers } from './cluster/servers.js';
import { openCluster, type ForgetfulCluster } from './forget/cluster.js';
import { soakFolder, startServers, type Servers } from './servers.js';
import { createProxy, type Proxy } from './wire.js';
import { throughWire, type WorldOptions } from './world.js';

export interface Surroundings {
  readonly servers?: Pick<Servers, 'restartTemporal' | 'restartPostgres'>;
  readonly wires?: readonly Pick<Proxy, 'dropAll'>[];
  /** A database that loses data, and the wire to it. */
  readonly forgetful?: { readonly cluster: ForgetfulCluster; readonly wire: Pick<Proxy, 'lead'> };
  /** Two Temporal nodes on PostgreSQL instead of the development server; each worker then has its own folder, and there are bridges. */
  readonly cluster?: ClusterServers;
}

export async function openClusterSurroundings(
  shutdown: Shutdown,
  { cuts = 0, ...options }: Omit<ClusterOptions, 'folder'> & { readonly cuts?: number },
): Promise<Surroundings & { readonly cluster: ClusterServers; readonly world: WorldOptions }> {
  const folder = soakFolder();
  shutdown.add({ name: 'cluster folder', stop: () => rmSync(folder, { recursive: true, force: true }) });
  const cluster = await startClusterServers(shutdown, { folder, ...options });
  const { temporalAddress, databaseUrl } = cluster;
  const world = { servers: { temporalAddress, databaseUrl } };
  if (cuts === 0) return { cluster, world };
  const { temporal, postgres, addresses } = await openWires(shutdown, { temporalAddress, databaseUrl });
  return { cluster, wires: [temporal, postgres], world: { ...world, wires: addresses } };
}

export async function openSurroundings(
  shutdown: Shutdown,
  { failovers }: { readonly failovers: number },
): Promise<Surroundings & { readonly world: WorldOptions }> {
  const servers = await startServers();
  shutdown.add({ name: 'servers', stop: () => servers.stop() });
  const cluster = failovers > 0 ? await openReplicated(shutdown) : undefined;
  const databaseUrl = cluster?.url() ?? servers.databaseUrl;
  const { temporalAddress } = servers;
  const { temporal, postgres, addresses } = await openWires(shutdown, { temporalAddress, databaseUrl });
  const wires = [temporal, postgres];
  if (cluster === undefined) return { servers, wires, world: { servers, wires: addresses } };
  const restartTemporal = (): Promise<void> => servers.restartTemporal();
  return {
    wires,
    forgetful: { cluster, wire: postgres },
    servers: { restartTemporal, restartPostgres: restartTemporal },
    // The books are read through the wire as well: it leads to the database of the last fail-over.
    world: { servers, wires: addresses, databaseUrl: throughWire(databaseUrl, postgres.address) },
  };
}

export async function openWire(shutdown: Shutdown, target: string): Promise<Proxy> {
  const wire = await createProxy(target);
  shutdown.add({ name: 'wire', stop: () => wire.close() });
  return wire;
}

async function openWires(
  shutdown: Shutdown,
  { temporalAddress, databaseUrl }: Pick<Servers, 'temporalAddress' | 'databaseUrl'>,
) {
  const temporal = await openWire(shutdown, temporalAddress);
  const postgres = await openWire(shutdown, new URL(databaseUrl).host);
  return { temporal, postgres, addresses: { temporal: temporal.address, postgres: postgres.address } };
}

async function openReplicated(shutdown: Shutdown): Promise<ForgetfulCluster> {
  const folder = soakFolder();
  const cluster = await openCluster(folder, 'replica');
  shutdown.add({
    name: 'replicated database',
    stop: async () => {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  });
  return cluster;
}
