/** Tables partitioned by month (docs/decisions/0037): partitions are made ahead of time and dropped whole. */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from './connect.js';
import { isLockNotFree } from './database-away.js';
import { instant } from './sql-parts.js';

export type MonthlyTable = 'event_bytes' | 'answer_bytes' | 'intent_archive';

/** Months made ahead, in case all workers are down for long. Rows of a month that does not exist go to a default partition. */
const AHEAD = 3;

/** Makes the current and the next months of the tables that programs write to. One statement each: each may wait for locks. */
export async function makeMonths(db: Database): Promise<void> {
  for (const table of ['event_bytes', 'answer_bytes'] satisfies MonthlyTable[])
    for (let ahead = 0; ahead <= AHEAD; ahead += 1)
      await sql`
        select tramita.make_month(${table}, (tramita.month_of(now()) + ${ahead}::integer * interval '1 month')::date)`.execute(
        db,
      );
}

/** Makes the months of these instants, epoch ms. */
export async function makeMonthsOf(db: Database, table: MonthlyTable, atMs: readonly number[]): Promise<void> {
  await sql`
    select tramita.make_month(${table}, month)
    from (select distinct tramita.month_of(at) as month from unnest(${atMs.map((ms) => new Date(ms))}::timestamptz[]) as at)
      as months`.execute(db);
}

/** Drops the empty months that ended before an instant; returns how many. None if the lock for it is not free. */
export function dropEmptyMonths(db: Database, table: MonthlyTable, beforeMs: number): Promise<number> {
  return countDropped(db, sql`tramita.drop_empty_months(${table}, ${instant(beforeMs)})`);
}

/** Drops the months that ended before an instant; returns how many. None if the lock for it is not free. */
export function dropMonths(db: Database, table: MonthlyTable, beforeMs: number): Promise<number> {
  return countDropped(db, sql`tramita.drop_months(${table}, ${instant(beforeMs)})`);
}

async function countDropped(db: Database, drop: RawBuilder<unknown>): Promise<number> {
  try {
    const { rows } = await sql<{ readonly dropped: number }>`select ${drop} as dropped`.execute(db);
    return rows[0]?.dropped ?? 0;
  } catch (error) {
    // Somebody reads the table, perhaps for hours, as a backup does: what is old is still deleted row by row.
    if (isLockNotFree(error)) return 0;
    throw error;
  }
}
