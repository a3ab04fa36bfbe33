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
  /** Sets the clock, but only if the machine's clock was changed since it was set, or the machine has slept. */
  readonly setIfChanged: () => Promise<void>;
}

/** One moment by the machine's clock and by one that nobody can change. */
interface Moment {
  readonly machineMs: number;
  readonly monotonicMs: number;
}

/** Equals the machine's clock until the first `set`. */
export function createDatabaseClock(
  db: Database,
  machineMs = (): number => Date.now(),
  monotonicMs = (): number => performance.now(),
): DatabaseClock {
  let correctionMs = 0;
  let setAt: Moment | undefined;
  let setting: Promise<void> | undefined;
  const set = async (): Promise<void> => {
    const startedMs = monotonicMs();
    const seen = await readClock(db, machineMs);
    setAt = { machineMs: seen.askedAtMs, monotonicMs: startedMs };
    const isRight = (addedMs: number): boolean => Math.abs(leastAheadMs(seen, addedMs)) <= CLOCKS_DIFFER_MS;
    // Jumps only if it is certainly wrong: a slow answer proves nothing, and running calls measure time by this clock.
    if (isRight(correctionMs)) return;
    correctionMs = isRight(0) ? 0 : Math.round(seen.databaseMs - (seen.askedAtMs + seen.toldAtMs) / 2);
  };
  const isChanged = (since: Moment): boolean =>
    Math.abs(machineMs() - since.machineMs - (monotonicMs() - since.monotonicMs)) > CLOCKS_DIFFER_MS;
  return {
    nowMs: () => machineMs() + correctionMs,
    aheadOfMachineMs: () => correctionMs,
    set,
    setIfChanged: async () => {
      if (setAt === undefined || !isChanged(setAt)) return;
      await (setting ??= set().finally(() => (setting = undefined)));
    },
  };
}
