/** The whole ledger, or a part of it, in the order of writing: read in batches, so its size does not matter. */
import { instant, type Database } from '../store/index.js';
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

/** Rows that are written meanwhile may or may not be among them; none comes twice. */
export async function* exportIntents(db: Database, filter: ExportFilter, batch = BATCH): AsyncGenerator<Intent> {
  let after = 0;
  for (;;) {
    let query = db.selectFrom('tramita.intent').selectAll().where('seq', '>', after);
    if (filter.account !== undefined) query = query.where('account', '=', filter.account);
    if (filter.fromMs !== undefined) query = query.where('opened_at', '>=', instant(filter.fromMs));
    if (filter.beforeMs !== undefined) query = query.where('opened_at', '<', instant(filter.beforeMs));
    const rows = await query.orderBy('seq').limit(batch).execute();
    for (const row of rows) yield readIntent(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    after = last.seq;
  }
}
