/**
 * The clock of a worker or bridge: its machine's clock, corrected by the database's if the two differ by more than clocks that
 * are kept right. Programs compare times of several machines, and of Temporal: what was bought since a flow asked, what has
 * expired, what is young enough (docs/decisions/0080).
 */
import { CLOCKS_DIFFER_MS, leastAheadMs, readClock } from './clock-problem.js';
import type { Database } from './connect.js';

/** Between two readings: a machine's clock may go wrong, or be corrected, while a program runs. */
export const CLOCK_EVERY_MS = 60_000;

export interface DatabaseClock {
  /** Epoch ms. */
  readonly nowMs: () => number;
  /** How far `nowMs` is ahead of the machine's own clock, by which its files get their times. */
  readonly aheadOfMachineMs: () => number;
  /** Reads the database's clock and corrects `nowMs`. If the database does not answer, rejects and keeps the last correction. */
  readonly set: () => Promise<void>;
}

/** Equals the machine's clock until the first `set`. */
export function createDatabaseClock(db: Database, machineMs = (): number => Date.now()): DatabaseClock {
  let correctionMs = 0;
  return {
    nowMs: () => machineMs() + correctionMs,
    aheadOfMachineMs: () => correctionMs,
    set: async () => {
      const seen = await readClock(db, machineMs);
      const isRight = (addedMs: number): boolean => Math.abs(leastAheadMs(seen, addedMs)) <= CLOCKS_DIFFER_MS;
      // Jumps only if it is certainly wrong: a slow answer proves nothing, and running calls measure time by this clock.
      if (isRight(correctionMs)) return;
      correctionMs = isRight(0) ? 0 : Math.round(seen.databaseMs - (seen.askedAtMs + seen.toldAtMs) / 2);
    },
  };
}
