/**
 * Which events share a transaction. A lone event goes at once; what arrives while two transactions are on their way goes
 * together with the next one, so that a storm is stored with few commits and a quiet day without any delay. No event pays
 * for another one: where a transaction fails, or waits for a lock, each of its events is recorded by itself.
 */
import type { Database } from '../store/index.js';
import { identityOf, recordEvents, type Arrival } from './record-event.js';
import type { IncomingEvent, Recorded } from './types.js';

/** Transactions at the same time; the connections left are for events by themselves and for everything else. */
const MAX_TOGETHER = 2;
const MAX_EVENTS = 64;
/** Of one transaction; the lock table of a server is shared with everybody else. */
const MAX_KEYS = 256;
/** A flow holds the lock of its key for some milliseconds; longer is one event's trouble, not that of its neighbours. */
const LOCK_WITHIN_MS = 250;

interface Waiting extends Arrival {
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (problem: unknown) => void;
}

/** Resolves when the event is committed. */
export type Recorder = (event: IncomingEvent) => Promise<Recorded>;

export function createRecorder({ db, clock }: { readonly db: Database; readonly clock: () => number }): Recorder {
  let queue: Waiting[] = [];
  let running = 0;

  const recordAlone = async (waiting: Waiting): Promise<void> => {
    try {
      const [recorded] = await recordEvents(db, [waiting]);
      if (recorded !== undefined) waiting.resolve(recorded);
    } catch (error) {
      waiting.reject(error);
    }
  };

  const recordTogether = async (together: readonly Waiting[]): Promise<void> => {
    running += 1;
    try {
      const recorded = await recordEvents(db, together, { lockWithinMs: LOCK_WITHIN_MS });
      together.forEach((waiting, place) => {
        const result = recorded[place];
        if (result !== undefined) waiting.resolve(result);
      });
    } catch {
      // What is wrong, if it is more than a lock, each of them learns by itself; not awaited: others go on meanwhile.
      for (const waiting of together) void recordAlone(waiting);
    } finally {
      running -= 1;
      startNext();
    }
  };

  const startNext = (): void => {
    if (running >= MAX_TOGETHER || queue.length === 0) return;
    const { together, rest } = takeTogether(queue);
    queue = rest;
    void recordTogether(together);
  };

  return (event) =>
    new Promise((resolve, reject) => {
      queue.push({ event, nowMs: clock(), resolve, reject });
      startNext();
    });
}

/** The oldest ones that fit; a second arrival of one event waits for the first to be committed. At least one. */
function takeTogether(queue: readonly Waiting[]): { readonly together: Waiting[]; readonly rest: Waiting[] } {
  const together: Waiting[] = [];
  const rest: Waiting[] = [];
  const identities = new Set<string>();
  let keys = 0;
  for (const waiting of queue) {
    const identity = identityOf(waiting.event);
    const fits = together.length < MAX_EVENTS && keys + waiting.event.keys.length <= MAX_KEYS;
    if (identities.has(identity) || (!fits && together.length > 0)) {
      rest.push(waiting);
      continue;
    }
    identities.add(identity);
    keys += waiting.event.keys.length;
    together.push(waiting);
  }
  return { together, rest };
}
