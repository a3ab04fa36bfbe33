/**
 * The clock of a worker or bridge: its machine's, set right by the database's where that differs by more than clocks which are kept
 * right do. Times that one of them writes are compared with those of another, and with Temporal's: what was bought since a flow
 * asked, what is over, what is young enough (docs/decisions/0080).
 */
import { CLOCKS_DIFFER_MS, leastAheadMs, readClock } from './clock-problem.js';
import type { Database } from './connect.js';

/** A machine's clock may go wrong, and be set right, while a program runs. */
export const CLOCK_EVERY_MS = 60_000;

export interface DatabaseClock {
  /** Epoch ms. */
  readonly nowMs: () => number;
  /** Of `nowMs`, to what the machine itself shows: times of its files are its own. */
  readonly aheadOfMachineMs: () => number;
  /** Asks the database. Rejects where it does not answer: what is known of it then stays. */
  readonly set: () => Promise<void>;
}

/** It goes as the machine's own until it is set. */
export function createDatabaseClock(db: Database, machineMs = (): number => Date.now()): DatabaseClock {
  let behindMs = 0;
  return {
    nowMs: () => machineMs() + behindMs,
    aheadOfMachineMs: () => behindMs,
    set: async () => {
      const seen = await readClock(db, machineMs);
      const isRight = (addedMs: number): boolean => Math.abs(leastAheadMs(seen, addedMs)) <= CLOCKS_DIFFER_MS;
      // It leaps only where it is wrong: an answer that was slow shows nothing, and calls under way go by it.
      if (isRight(behindMs)) return;
      behindMs = isRight(0) ? 0 : Math.round(seen.databaseMs - (seen.askedAtMs + seen.toldAtMs) / 2);
    },
  };
}
