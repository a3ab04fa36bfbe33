/** Bridges of a cluster: processes on different ports, and a balancer in front of them, to which the service sends its webhooks. */
import { randomBytes } from 'node:crypto';
import { freePort } from '../../src/local/index.js';
import { openBridgeLogin } from '../servers.js';
import { startBridgeProcess, type OnSpawn, type WorkerProcess } from '../worker-process.js';
import type { World } from '../world.js';
import { createBalancer } from './balancer.js';

export interface Bridges {
  /** The address for webhooks. */
  readonly url: string;
  /** Addresses of the bridges themselves, without the balancer. */
  readonly addresses: readonly string[];
  isAlive(place: number): boolean;
  /** SIGKILL, then a new start on the same ports; resolves when it is ready. */
  restart(place: number): Promise<void>;
  stop(): Promise<void>;
}

const BRIDGES = 2;
const READY_WITHIN_MS = 1_000;

/** Gives the services the address and the secret. */
export async function openBridges(
  { env, services }: Pick<World, 'env' | 'services'>,
  onSpawn?: OnSpawn,
): Promise<Bridges> {
  const bridgeUrl = await openBridgeLogin(env['TRAMITA_DATABASE_URL'] ?? '');
  const secret = randomBytes(16).toString('hex');
  const places: { readonly address: string; readonly ops: string }[] = [];
  while (places.length < BRIDGES) {
    places.push({ address: `127.0.0.1:${await freePort()}`, ops: `127.0.0.1:${await freePort()}` });
  }
  const start = ({ address, ops }: (typeof places)[number]): Promise<WorkerProcess> =>
    startBridgeProcess(
      {
        TEMPORAL_ADDRESS: env['TEMPORAL_ADDRESS'] ?? '',
        TRAMITA_BRIDGE_DATABASE_URL: bridgeUrl.href,
        TRAMITA_BRIDGE_LISTEN: address,
        TRAMITA_BRIDGE_OPS_LISTEN: ops,
        TRAMITA_WEBHOOK_SECRETS: secret,
        TRAMITA_LOG_LEVEL: 'error',
      },
      { onSpawn },
    );
  const bridges = await Promise.all(places.map(start));
  const balancer = await createBalancer(
    places.map(({ address, ops }) => ({ address, isHealthy: () => isReady(`http://${ops}/readyz`) })),
  );
  const url = `http://${balancer.address}/webhooks`;
  for (const { control } of Object.values(services)) await control('/webhook', { url, secret });
  return {
    url,
    addresses: places.map(({ address }) => address),
    isAlive: (place) => bridges[place]?.isAlive() === true,
    restart: async (place) => {
      const at = places[place];
      if (at === undefined) return;
      await bridges[place]?.kill();
      bridges[place] = await start(at);
    },
    stop: async () => {
      await balancer.close();
      await Promise.all(bridges.map((bridge) => bridge.kill()));
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  return (await fetch(url, { signal: AbortSignal.timeout(READY_WITHIN_MS) })).ok;
}
