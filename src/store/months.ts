/** Tables by month (docs/decisions/0037): months are made ahead of time, and dropped whole when all that is in them may go. */
import { sql } from 'kysely';
import type { Database } from './connect.js';
import { instant } from './sql-parts.js';

export type MonthlyTable = 'event_bytes' | 'answer_bytes' | 'intent_archive';

/** So many months ahead: a fleet whose workers are down for long goes on; what comes then is in a default partition. */
const AHEAD = 3;

/** Makes the present month and the next ones of what the programs write to, each by itself: it may wait for locks. */
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

/** The same for months in which nothing is left. */
export async function dropEmptyMonths(db: Database, table: MonthlyTable, beforeMs: number): Promise<number> {
  const { rows } = await sql<{ readonly dropped: number }>`
    select tramita.drop_empty_months(${table}, ${instant(beforeMs)}) as dropped`.execute(db);
  return rows[0]?.dropped ?? 0;
}

/** Drops the months that are over before an instant; returns how many. */
export async function dropMonths(db: Database, table: MonthlyTable, beforeMs: number): Promise<number> {
  const { rows } = await sql<{ readonly dropped: number }>`
    select tramita.drop_months(${table}, ${instant(beforeMs)}) as dropped`.execute(db);
  return rows[0]?.dropped ?? 0;
}
