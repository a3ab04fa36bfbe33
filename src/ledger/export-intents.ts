/** Exports the ledger, or a part of it, in the order of writing. It reads in batches, so the size does not matter. */
import { sql, type Selectable } from 'kysely';
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
 * rows, even if the filter selects few of them.
 */
export async function* exportIntents(db: Database, filter: ExportFilter, batch = BATCH): AsyncGenerator<Intent> {
  const { account, fromMs, beforeMs } = filter;
  const conditions = [
    sql<boolean>`true`,
    ...(account === undefined ? [] : [sql<boolean>`account = ${account}`]),
    ...(fromMs === undefined ? [] : [sql<boolean>`opened_at >= ${instant(fromMs)}`]),
    ...(beforeMs === undefined ? [] : [sql<boolean>`opened_at < ${instant(beforeMs)}`]),
  ];
  let after: number | null = 0;
  while (after !== null) {
    const { rows }: { rows: PageRow[] } = await sql<PageRow>`
      with page as (select * from tramita.intent_all where seq > ${after} order by seq limit ${batch})
      select page.*, until from (select max(seq) as until from page) as last left join page on ${sql.join(conditions, sql` and `)}
      order by seq`.execute(db);
    for (const row of rows) if ((row.seq as number | null) !== null) yield readIntent(row);
    after = rows[0]?.until ?? null;
  }
}
