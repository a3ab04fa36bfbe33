/**
 * Decides which events share a transaction. A lone event is written immediately; events that arrive while a transaction is
 * running share the next one. So a burst needs few commits, and a quiet day has no delay. One event does not hold up others: if a
 * transaction takes long, the next one starts beside it; if one event makes it fail or wait for a lock, each is recorded alone.
 */
import { isDatabaseAway, isLockNotFree } from '../store/index.js';
import type { InboxDependencies } from './dependencies.js';
import type { IncomingEvent, Recorded } from './event.js';
import { identityOf, recordEvents, type Arrival } from './record-event.js';

/** Concurrent shared transactions. The remaining connections serve events that are recorded alone, and everything else. */
const MAX_RUNNING = 4;
/**
 * A longer transaction no longer holds back the next one. A shorter one is worth waiting for: most of the cost is per transaction
 * (measured: one of 32 events costs as much as three of one event).
 */
const OVERTAKEN_AFTER_MS = 20;
const MAX_EVENTS = 64;
/** Per transaction: each key is a lock, and the server's lock table is shared. */
const MAX_KEYS = 256;
/** Per transaction: 64 of the largest bodies would be in memory three times while they are written. */
const MAX_BYTES = 4 * 1_048_576;
/** A flow holds the lock of its key for some milliseconds. If it takes longer, only the event of that key should wait. */
const LOCK_WITHIN_MS = 250;

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

  const recordBatch = async (batch: readonly Waiting[]): Promise<void> => {
    running += 1;
    const overtakeTimer = setTimeout(() => {
      overtaken.add(batch);
      startNext();
    }, OVERTAKEN_AFTER_MS);
    try {
      const recorded = await recordEvents(db, batch, { lockWithinMs: LOCK_WITHIN_MS });
      batch.forEach((waiting, index) => {
        const result = recorded[index];
        if (result !== undefined) waiting.resolve(result);
      });
    } catch (error) {
      for (const waiting of batch) {
        // Not awaited, so that other events are not delayed.
        if (concernsOneEvent(error)) void recordAlone(waiting);
        else waiting.reject(error);
      }
    } finally {
      clearTimeout(overtakeTimer);
      running -= 1;
      overtaken.delete(batch);
      startNext();
    }
  };

  const startNext = (): void => {
    if (queue.length === 0 || running >= MAX_RUNNING || running > overtaken.size) return;
    const { batch, rest } = takeBatch(queue);
    queue = rest;
    void recordBatch(batch);
  };

  return (event) =>
    new Promise((resolve, reject) => {
      queue.push({ event, nowMs: clock(), resolve, reject });
      startNext();
    });
}

/** True for a lock that is not available and a value that cannot be stored. Any other error would hit each event again. */
function concernsOneEvent(error: unknown): boolean {
  return isLockNotFree(error) || !isDatabaseAway(error);
}

/** Takes the oldest events that fit, at least one. A second arrival of the same event waits for a later transaction. */
function takeBatch(queue: readonly Waiting[]): { readonly batch: Waiting[]; readonly rest: Waiting[] } {
  const batch: Waiting[] = [];
  const rest: Waiting[] = [];
  const identities = new Set<string>();
  let keys = 0;
  let bytes = 0;
  for (const waiting of queue) {
    const identity = identityOf(waiting.event);
    const fits =
      batch.length < MAX_EVENTS &&
      keys + waiting.event.keys.length <= MAX_KEYS &&
      bytes + waiting.event.body.length <= MAX_BYTES;
    if (identities.has(identity) || (!fits && batch.length > 0)) {
      rest.push(waiting);
      continue;
    }
    identities.add(identity);
    keys += waiting.event.keys.length;
    bytes += waiting.event.body.length;
    batch.push(waiting);
  }
  return { batch, rest };
}
