/** Notes in the inbox that wakes are no longer owed. Never rejects: a wake that is not marked is only signalled once more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { nameOfError } from '../contract/values/index.js';
import type { Wake } from '../inbox/index.js';
import type { WakeInbox, WakesLog } from './types.js';

/**
 * Marks that may wait are written together, so that no commit of ours runs beside the first task of an awake flow (measured: half
 * a millisecond of each wake). Much shorter than the age from which a relay takes a wake.
 */
const MARK_AFTER_MS = 100;

export interface Marks {
  readonly now: (wakes: readonly Wake[]) => Promise<void>;
  readonly soon: (wakes: readonly Wake[]) => void;
  /** Resolves when all wakes that were passed to `soon` are marked. */
  readonly idle: () => Promise<void>;
}

export function createMarks(deps: {
  readonly inbox: Pick<WakeInbox, 'markWoken'>;
  readonly log: Pick<WakesLog, 'warn'>;
}): Marks {
  let waiting: readonly Wake[] = [];
  let marking = Promise.resolve();

  const now = async (wakes: readonly Wake[]): Promise<void> => {
    try {
      await deps.inbox.markWoken(wakes);
    } catch (error) {
      deps.log.warn({ error: nameOfError(error) }, 'wakes not marked; the relay repeats them');
    }
  };
  const markWaiting = async (): Promise<void> => {
    await sleep(MARK_AFTER_MS);
    const wakes = waiting;
    waiting = [];
    await now(wakes);
  };
  return {
    now,
    soon: (wakes) => {
      if (wakes.length === 0) return;
      if (waiting.length === 0) marking = Promise.all([marking, markWaiting()]).then(() => undefined);
      waiting = [...waiting, ...wakes];
    },
    idle: () => marking,
  };
}
