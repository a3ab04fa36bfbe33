/**
 * Which events share a transaction. A lone event goes at once; what arrives while a transaction is on its way goes together
 * with the next one, so that a storm is stored with few commits and a quiet day without any delay. No event pays for another
 * one: a transaction that takes long is overtaken, and where one fails, or waits for a lock, each of its events is recorded
 * by itself.
 */
import { isDatabaseAway } from '../store/index.js';
import type { InboxDependencies } from './dependencies.js';
import type { IncomingEvent, Recorded } from './event.js';
import { identityOf, recordEvents, type Arrival } from './record-event.js';

/** Transactions at the same time; the connections left are for events by themselves and for everything else. */
const MAX_TOGETHER = 4;
/** Most of what a transaction costs it costs once (measured: one of 32 events as much as three of one event). */
const OVERTAKEN_AFTER_MS = 20;
const MAX_EVENTS = 64;
/** Of one transaction; the lock table of a server is shared. */
const MAX_KEYS = 256;
/** Of one transaction; sixty-four of the largest bodies would be held three times over while they are written. */
const MAX_BYTES = 4 * 1_048_576;
/** A flow holds the lock of its key for some milliseconds; longer is one event's trouble, not that of its neighbours. */
const LOCK_WITHIN_MS = 250;
/** SQLSTATE. */
const LOCK_NOT_AVAILABLE = '55P03';

interface Waiting extends Arrival {
  readonly resolve: (recorded: Recorded) => void;
  readonly reject: (problem: unknown) => void;
}

/** Resolves when the event is committed. */
export type Recorder = (event: IncomingEvent) => Promise<Recorded>;

export function createRecorder({ db, clock }: InboxDependencies): Recorder {
  let queue: Waiting[] = [];
  let running = 0;
  const overtaken = new Set<readonly Waiting[]>();

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
    const patience = setTimeout(() => {
      overtaken.add(together);
      startNext();
    }, OVERTAKEN_AFTER_MS);
    try {
      const recorded = await recordEvents(db, together, { lockWithinMs: LOCK_WITHIN_MS });
      together.forEach((waiting, place) => {
        const result = recorded[place];
        if (result !== undefined) waiting.resolve(result);
      });
    } catch (error) {
      for (const waiting of together) {
        // Not awaited: others go on meanwhile.
        if (concernsOneEvent(error)) void recordAlone(waiting);
        else waiting.reject(error);
      }
    } finally {
      clearTimeout(patience);
      running -= 1;
      overtaken.delete(together);
      startNext();
    }
  };

  const startNext = (): void => {
    if (queue.length === 0 || running >= MAX_TOGETHER || running > overtaken.size) return;
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

/** A held lock, or a value that cannot be stored; what else fails would fail for each of them again. */
function concernsOneEvent(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === LOCK_NOT_AVAILABLE || !isDatabaseAway(error);
}

/** The oldest ones that fit, at least one; a second arrival of one event waits for a later transaction. */
function takeTogether(queue: readonly Waiting[]): { readonly together: Waiting[]; readonly rest: Waiting[] } {
  const together: Waiting[] = [];
  const rest: Waiting[] = [];
  const identities = new Set<string>();
  let keys = 0;
  let bytes = 0;
  for (const waiting of queue) {
    const identity = identityOf(waiting.event);
    const fits =
      together.length < MAX_EVENTS &&
      keys + waiting.event.keys.length <= MAX_KEYS &&
      bytes + waiting.event.body.length <= MAX_BYTES;
    if (identities.has(identity) || (!fits && together.length > 0)) {
      rest.push(waiting);
      continue;
    }
    identities.add(identity);
    keys += waiting.event.keys.length;
    bytes += waiting.event.body.length;
    together.push(waiting);
  }
  return { together, rest };
}
