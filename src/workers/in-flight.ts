/**
 * Charged calls in flight in this process. A worker that fails does not wait for its own activities, so the database is closed
 * only when no call is left here.
 */
import type { ChargedActivities, ChargedActivity, ChargedCallResult } from '../protocol/index.js';
import { eachCharged } from './each-charged.js';

export interface InFlight {
  /** The same activities, counted. */
  readonly charged: ChargedActivities;
  readonly count: () => number;
  /** Resolves when no call is in flight. Each ends within its own time (60 s, a file 11 min). */
  readonly settled: () => Promise<void>;
}

export function trackInFlight(charged: ChargedActivities): InFlight {
  const calls = new Set<Promise<ChargedCallResult>>();
  const track =
    (call: ChargedActivity): ChargedActivity =>
    async (input) => {
      const running = call(input);
      calls.add(running);
      try {
        return await running;
      } finally {
        calls.delete(running);
      }
    };
  return {
    charged: eachCharged(charged, track),
    count: () => calls.size,
    settled: async () => {
      while (calls.size > 0) await Promise.allSettled(calls);
    },
  };
}
