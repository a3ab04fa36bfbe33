/** How far this machine's clock is from the database's. Programs write times; how old those are, the database is asked too. */
import { formatDuration } from '../contract/index.js';
import type { Database } from './connect.js';

/** The clock of the database, read between two readings of this machine's clock. */
interface ClocksSeen {
  readonly askedAtMs: number;
  readonly toldAtMs: number;
  readonly databaseMs: number;
}

export async function readClock(db: Database, machineMs: () => number = Date.now): Promise<ClocksSeen> {
  const askedAtMs = machineMs();
  const { now } = await db
    .selectNoFrom((select) => [select.fn<number>('clock_timestamp', []).as('now')])
    .executeTakeFirstOrThrow();
  return { askedAtMs, toldAtMs: machineMs(), databaseMs: now };
}

/** Clocks that are kept right (NTP) never differ by more than this. */
export const CLOCKS_DIFFER_MS = 5_000;

/** The least that this machine's clock plus `addedMs` is ahead (negative: behind) of the database's; 0 if they may be equal. Pure. */
export function leastAheadMs({ askedAtMs, toldAtMs, databaseMs }: ClocksSeen, addedMs = 0): number {
  if (askedAtMs + addedMs > databaseMs) return askedAtMs + addedMs - databaseMs;
  return Math.min(0, toldAtMs + addedMs - databaseMs);
}

/** A message that names the cure; undefined where all is well. Pure. */
export function clockProblem(seen: ClocksSeen): string | undefined {
  const aheadMs = leastAheadMs(seen);
  if (Math.abs(aheadMs) <= CLOCKS_DIFFER_MS) return undefined;
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${formatDuration(Math.abs(aheadMs))} ${side} that of the database; set both right (NTP): waits, holds and the days of caps go by them`;
}
