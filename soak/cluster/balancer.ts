/**
 * A TCP load balancer, as production has one in front of several frontends. New connections go to the healthy target with the
 * fewest. Connections to a target that is no longer healthy are reset, so that clients reconnect to another one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createWire } from '../wire.js';

export interface Target {
  /** `host:port`. */
  readonly address: string;
  readonly isHealthy: () => Promise<boolean>;
}

export interface Balancer {
  readonly address: string;
  /** Targets of the open connections, one for each. */
  targets(): readonly string[];
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 250;
/** A frozen target does not answer. */
const ANSWER_WITHIN_MS = 1_000;

export async function createBalancer(targets: readonly Target[]): Promise<Balancer> {
  const healthy = new Set<string>();
  const over = new AbortController();
  const { signal } = over;
  const wire = await createWire(() => {
    const standing = wire.targets();
    const count = (address: string): number => standing.filter((each) => each === address).length;
    const [first] = targets
      .map(({ address }) => address)
      .filter((address) => healthy.has(address))
      .sort((left, right) => count(left) - count(right));
    return first;
  });
  const watch = async ({ address, isHealthy }: Target): Promise<void> => {
    while (!signal.aborted) {
      const late = sleep(ANSWER_WITHIN_MS, false, { ref: false });
      if (await Promise.race([isHealthy().catch(() => false), late])) healthy.add(address);
      else if (healthy.delete(address)) wire.drop(address);
      await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const watching = targets.map(watch);
  return {
    address: wire.address,
    targets: () => wire.targets(),
    close: async () => {
      over.abort();
      await Promise.all(watching);
      await wire.close();
    },
  };
}
