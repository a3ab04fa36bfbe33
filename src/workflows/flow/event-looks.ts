/**
 * Limits the looks that events cause to one a minute: however many events come, they cannot make the history grow without end.
 * The first event causes a look at once; those that come within the minute share one look at its end.
 */
import { condition, patched } from '@temporalio/workflow';

export const LOOK_AT_MOST_EVERY_MS = 60_000;

/** Runs from before this patch look at every event. */
const PATCH = 'one-look-a-minute-by-events';

export interface EventLooks {
  /** Returns when the look for an event may be taken, or as soon as `stop` says that there is something else to do. */
  take(stop: () => boolean): Promise<void>;
  /** False within a minute of the last look: then a wait with a short timer of its own waits for that timer instead. */
  mayTake(): boolean;
}

export function createEventLooks(): EventLooks {
  let nextAtMs = 0;
  const isEarly = (): boolean => Date.now() < nextAtMs && patched(PATCH);
  return {
    take: async (stop) => {
      if (isEarly()) {
        const waitMs = Math.max(nextAtMs - Date.now(), 1);
        await condition(stop, waitMs, { summary: 'events are checked once a minute' });
      }
      if (!stop()) nextAtMs = Date.now() + LOOK_AT_MOST_EVERY_MS;
    },
    mayTake: () => !isEarly(),
  };
}
