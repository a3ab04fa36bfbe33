/**
 * Events make a flow look for itself, at most once a minute: however many come, they cannot make its history grow by looks.
 * The first is looked at at once; what comes within the minute is looked at together at its end.
 */
import { condition, patched } from '@temporalio/workflow';

export const LOOK_AT_MOST_EVERY_MS = 60_000;

/** Runs that were started before have looked at every event. */
const PATCH = 'one-look-a-minute-by-events';

export interface EventLooks {
  /** An event wants a look: returns when it may be taken, or as soon as `stop` says that there is something else to do. */
  take(stop: () => boolean): Promise<void>;
  /** False within a minute of the last look: a wait with a short timer of its own waits for that instead. */
  mayTake(): boolean;
}

export function createEventLooks(): EventLooks {
  let nextAtMs = 0;
  const isEarly = (): boolean => Date.now() < nextAtMs && patched(PATCH);
  return {
    take: async (stop) => {
      if (isEarly()) {
        const waitMs = Math.max(nextAtMs - Date.now(), 1);
        await condition(stop, waitMs, { summary: 'events are looked at once a minute' });
      }
      if (!stop()) nextAtMs = Date.now() + LOOK_AT_MOST_EVERY_MS;
    },
    mayTake: () => !isEarly(),
  };
}
