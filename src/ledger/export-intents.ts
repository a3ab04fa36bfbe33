/** Exports the ledger, or a part of it, in the order of writing. It reads in batches, so the size does not matter. */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { DAY_MS } from '../contract/values/index.js';
import { instant, type Database, type IntentTable } from '../store/index.js';
import { readIntent } from './intent-row.js';
import type { Intent } from './intent.js';

export interface ExportFilter {
  readonly account?: string;
  /** Opened at or after this instant, epoch ms. */
  readonly fromMs?: number;
  /** Opened before this instant, epoch ms. */
  readonly beforeMs?: number;
}

const BATCH = 1_000;

type PageRow = Selectable<IntentTable> & { readonly until: number };

/**
 * Includes archived rows. Rows that are written meanwhile may or may not appear; none appears twice. Each statement reads `batch`
 * rows, even if the filter selects few of them; those of a period begin at its first row and end at its last one.
 */
export async function* exportIntents(db: Database, filter: ExportFilter, batch = BATCH): AsyncGenerator<Intent> {
  const { account, fromMs, beforeMs } = filter;
  const conditions = [
    ...(account === undefined ? [sql<boolean>`true`] : [sql<boolean>`account = ${account}`]),
    ...openedWithin(filter),
  ];
  const range = fromMs === undefined && beforeMs === undefined ? WHOLE : await seqsOf(db, filter);
  let after: number | null = range.first > range.last ? null : range.first - 1;
  while (after !== null) {
    const { rows }: { rows: PageRow[] } = await sql<PageRow>`
      with page as (
        select * from tramita.intent_all where seq > ${after} and seq <= ${range.last} order by seq limit ${batch})
      select page.*, until from (select max(seq) as until from page) as last left join page on ${sql.join(conditions, sql` and `)}
      order by seq`.execute(db);
    for (const row of rows) if ((row.seq as number | null) !== null) yield readIntent(row);
    after = rows[0]?.until ?? null;
  }
}

interface Range {
  readonly first: number;
  readonly last: number;
}

const WHOLE: Range = { first: 1, last: Number.MAX_SAFE_INTEGER };

function openedWithin({ fromMs, beforeMs }: ExportFilter): readonly RawBuilder<boolean>[] {
  return [
    ...(fromMs === undefined ? [] : [sql<boolean>`opened_at >= ${instant(fromMs)}`]),
    ...(beforeMs === undefined ? [] : [sql<boolean>`opened_at < ${instant(beforeMs)}`]),
  ];
}

/**
 * First and last sequence number in a period. Opening times have another order than sequence numbers where clocks differ, and
 * where a lost row was written again, so each day of each account is looked up through its index.
 */
async function seqsOf(db: Database, filter: ExportFilter): Promise<Range> {
  const range = { first: Infinity, last: 0 };
  for (const account of filter.account === undefined ? await accountsOf(db) : [filter.account]) {
    const opened = sql.join([sql`account = ${account}`, ...openedWithin(filter)], sql` and `);
    const { fromMs, lastMs } = await opensOf(db, opened);
    if (fromMs === null) continue;
    for (let dayMs = fromMs; dayMs <= (lastMs ?? 0); dayMs += DAY_MS) {
      // Behind `offset 0`, the order of `seq` chooses no index: it would read the ledger from one end to the first row.
      const { rows } = await sql<Nullable<Range>>`
        select min(seq) as first, max(seq) as last from (
          select seq from tramita.intent_all where ${opened}
            and opened_at >= ${instant(dayMs)} and opened_at < ${instant(dayMs + DAY_MS)} offset 0) as day`.execute(db);
      range.first = Math.min(range.first, rows[0]?.first ?? Infinity);
      range.last = Math.max(range.last, rows[0]?.last ?? 0);
    }
  }
  return range;
}

type Nullable<Members> = { readonly [Member in keyof Members]: Members[Member] | null };

async function opensOf(db: Database, opened: RawBuilder<unknown>) {
  const ends = (end: string): RawBuilder<unknown> =>
    sql.join(
      [sql`tramita.intent`, sql`tramita.intent_archive`].map(
        (table) => sql`(select ${sql.raw(end)}(opened_at) from ${table} where ${opened})`,
      ),
    );
  const { rows } = await sql<{ readonly fromMs: number | null; readonly lastMs: number | null }>`
    select least(${ends('min')}) as "fromMs", greatest(${ends('max')}) as "lastMs"`.execute(db);
  return rows[0] ?? { fromMs: null, lastMs: null };
}

/** Each account that has rows, by one step through an index. */
async function accountsOf(db: Database): Promise<readonly string[]> {
  const next = (after: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`least((select min(account) from tramita.intent where ${after}),
      (select min(account) from tramita.intent_archive where ${after}))`;
  const { rows } = await sql<{ readonly account: string }>`
    with recursive known as (
      select ${next(sql`true`)} as account
      union all
      select ${next(sql`account > known.account`)} from known where known.account is not null)
    select account from known where account is not null`.execute(db);
  return rows.map(({ account }) => account);
}
