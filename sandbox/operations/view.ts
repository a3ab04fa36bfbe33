/** What a handler of one account may look at, taken from the world at this moment. */
import { randomUUID } from 'node:crypto';
import { traitsOf } from '../cases/traits.js';
import type { AccountName } from '../keys.js';
import type { World } from '../world.js';
import type { View } from './types.js';

export type ViewSource = Pick<
  World,
  'settings' | 'origins' | 'clock' | 'startedAtMs' | 'book' | 'works' | 'monitors' | 'coverage' | 'paidFor'
>;

export function viewOf(world: ViewSource, account: AccountName): View {
  const { settings, book, works, monitors } = world;
  return {
    settings,
    ...world.origins,
    nowMs: world.clock.nowMs(),
    startedAtMs: world.startedAtMs,
    balance: () => book.balance(account),
    traits: (cnj) => traitsOf(settings.seed, cnj, settings.corpus),
    findWork: (requestId) => works.find(requestId),
    worksOf: (cnj, operation) => works.ofCase(cnj, account, operation),
    isFinished: (work) => works.isFinished(work),
    finalOf: (work) => works.finalOf(work.requestId),
    paidFor: (work) => world.paidFor(work),
    findMonitor: (id) => {
      const monitor = monitors.find(id);
      return monitor?.account === account ? monitor : undefined;
    },
    monitors: (of) => monitors.list(account, of),
    coverageStartMs: (oab) => world.coverage.get(oab),
    newId: () => randomUUID(),
  };
}
