/**
 * `npm run cluster`: a whole installation on this machine, as it would run on several machines. PostgreSQL, two Temporal nodes
 * behind a balancer, the sandbox, two workers with a folder each, two bridges behind another balancer. A node, worker or bridge
 * that ends is started again. The data is deleted with the cluster.
 */
import { join } from 'node:path';
import { claimStack, identifyProcess, packageRoot, type OnProgress, type Shutdown } from '../../src/local/index.js';
import { openPool, ownEnv, rest } from '../pool.js';
import { openClusterSurroundings } from '../surroundings.js';
import type { OnSpawn } from '../worker-process.js';
import { openWorld, type World } from '../world.js';
import { openBridges, type Bridges } from './bridges.js';
import type { ClusterServers } from './servers.js';

const WORKERS = 2;
const LOOK_EVERY_MS = 2_000;

/** Resolves when asked to stop; `shutdown` holds everything that it has started. */
export async function runCluster(shutdown: Shutdown, onProgress: OnProgress): Promise<void> {
  // Recorded here, so that the next start stops the processes that a killed one has left.
  const stack = await claimStack({ root: join(packageRoot(), '.tramita', 'cluster'), onProgress });
  shutdown.add({ name: 'stack record', stop: stack.release });
  const onSpawn: OnSpawn = (name, pid) => {
    const identity = identifyProcess(pid);
    if (identity === undefined) return;
    stack.recordProcess({ name, identity });
    onProgress({ about: 'stack', kind: 'step', text: `${name}: process ${pid}` });
  };
  const { cluster, world: options } = await openClusterSurroundings(shutdown, {
    onProgress,
    onSpawn: stack.recordProcess,
  });
  const world = await openWorld(shutdown, { ...options, webhooks: true });
  const bridges = await openBridges(world, onSpawn);
  shutdown.add({ name: 'bridges', stop: () => bridges.stop() });
  const pool = await openPool(world, WORKERS, { envOf: (place) => ownEnv(world, place), onSpawn });
  shutdown.add({ name: 'workers', stop: () => pool.stop() });
  process.stdout.write(describeCluster(cluster, { world, bridges }));
  await Promise.all([pool.supervise(shutdown.signal), superviseBridges(bridges, shutdown.signal)]);
}

async function superviseBridges(bridges: Bridges, signal: AbortSignal): Promise<void> {
  while (await rest(LOOK_EVERY_MS, signal)) {
    for (const place of bridges.addresses.keys()) if (!bridges.isAlive(place)) await bridges.restart(place);
  }
}

function describeCluster(
  { nodes, temporalAddress, databaseUrl }: ClusterServers,
  { world, bridges }: { readonly world: World; readonly bridges: Bridges },
): string {
  const { sandbox } = world.service;
  return [
    '',
    `Temporal    ${temporalAddress}   in front of ${nodes.map(({ address }) => address).join(' and ')}`,
    `PostgreSQL  ${new URL(databaseUrl).host}`,
    `sandbox     ${sandbox.url}   control ${sandbox.controlUrl}`,
    `bridges     ${bridges.url}   in front of ${bridges.addresses.join(' and ')}`,
    '',
    'For the commands of this package, in another terminal (passwords are of this cluster only):',
    ...Object.entries(world.env).map(([name, value]) => `  export ${name}='${value}'`),
    '  node dist/src/cli/main.js start refreshCase --cnj 1000001-51.2026.8.26.0100 --documents --wait',
    '',
    'A node, a worker or a bridge that ends is started again. Ctrl-C stops everything.',
    '',
  ].join('\n');
}
