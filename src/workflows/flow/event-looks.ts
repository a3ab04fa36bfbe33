/**
 * Limits the looks that events cause to one a minute, and to one an hour once the history is long: however many events come, they
 * cannot make it grow without end.
 * The first event causes a look at once; those that come within the minute share one look at its end.
 */
import { condition, patched, workflowInfo } from '@temporalio/workflow';
import { isLong } from './history-length.js';

const LOOK_AT_MOST_EVERY_MS = 60_000;
/** In a long history: one look a minute for some days would reach the number of events at which the server ends a run. */
const THEN_AT_MOST_EVERY_MS = 3_600_000;

/** Runs from before this patch look at every event. */
const PATCH = 'one-look-a-minute-by-events';

export interface EventLooks {
  /** Returns when the look for an event may be taken, or as soon as `stop` says that there is something else to do. */
  take(stop: () => boolean): Promise<void>;
  /** False for some time after the last look: then a wait with a short timer of its own waits for that timer instead. */
  mayTake(): boolean;
}

/** For how long after a look no event causes another. */
export function lookAtMostEveryMs(): number {
  const isRare = isLong(workflowInfo()) && patched('one-look-an-hour-in-a-long-history');
  return isRare ? THEN_AT_MOST_EVERY_MS : LOOK_AT_MOST_EVERY_MS;
}

export function createEventLooks(): EventLooks {
  let nextAtMs = 0;
  const isEarly = (): boolean => Date.now() < nextAtMs && patched(PATCH);
  return {
    take: async (stop) => {
      if (isEarly()) {
        const waitMs = Math.max(nextAtMs - Date.now(), 1);
        await condition(stop, waitMs, { summary: 'events are checked at most once a minute' });
      }
      if (!stop()) nextAtMs = Date.now() + lookAtMostEveryMs();
    },
    mayTake: () => !isEarly(),
  };
}
