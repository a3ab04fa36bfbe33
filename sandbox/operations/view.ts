/** What a handler may read for one call, taken from the world at this moment. */
import { randomUUID } from 'node:crypto';
import { traitsOf } from '../cases/traits.js';
import type { SandboxClock } from '../clock.js';
import type { ChargeBook } from '../state/charge-book.js';
import type { Monitors } from '../state/monitors.js';
import type { Works } from '../state/works.js';
import type { OperationCall, View } from './types.js';

export interface ViewSource extends Pick<View, 'settings' | 'startedAtMs'> {
  readonly origins: Pick<View, 'apiUrl' | 'documentsUrl'>;
  readonly clock: SandboxClock;
  readonly book: ChargeBook;
  readonly works: Works;
  readonly monitors: Monitors;
  readonly coverage: ReadonlyMap<string, number>;
}

export function viewOf(world: ViewSource, call: OperationCall): View {
  const { account } = call;
  const { settings, book, works, monitors } = world;
  return {
    call,
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
    paidFor: (work) => book.paidFor(work.requestId),
    findMonitor: (id) => {
      const monitor = monitors.find(id);
      return monitor?.account === account ? monitor : undefined;
    },
    monitors: (of) => monitors.list(account, of),
    coverageStartMs: (oab) => world.coverage.get(oab),
    newId: () => randomUUID(),
  };
}
