/** The clock of the database, read between two times of this machine. */
import type { Database } from './connect.js';

export interface ClocksSeen {
  readonly askedAtMs: number;
  readonly toldAtMs: number;
  readonly databaseMs: number;
}

export async function readClock(db: Database): Promise<ClocksSeen> {
  const askedAtMs = Date.now();
  const { now } = await db
    .selectNoFrom((select) => [select.fn<number>('clock_timestamp', []).as('now')])
    .executeTakeFirstOrThrow();
  return { askedAtMs, toldAtMs: Date.now(), databaseMs: now };
}
