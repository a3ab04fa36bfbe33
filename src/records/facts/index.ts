/** Facts about cases over one database: what an answer tells, normalised, one statement per page and kind. */
import { sql } from 'kysely';
import type { Drift } from '../../contract/index.js';
import { countDrift } from '../../contract/index.js';
import { instant, type Database } from '../../store/index.js';
import { saveRows, type FactRow, type FactTable } from './save-rows.js';
import { CASES } from './tables.js';

export interface FactPage {
  readonly account: string;
  readonly table: FactTable;
  readonly rows: readonly FactRow[];
  readonly nowMs: number;
}

export interface Facts {
  /** Upserts a page; returns how many rows are new or changed. */
  save(page: FactPage): Promise<number>;
  /** Adds to the counts of what could not be mapped. */
  countDrift(drift: {
    readonly account: string;
    readonly operation: string;
    readonly found: readonly Drift[];
    readonly nowMs: number;
  }): Promise<void>;
}

export function createFacts({ db }: { readonly db: Database }): Facts {
  return {
    async save({ account, table, rows, nowMs }) {
      const changed = await saveRows(db, table, { account, rows, nowMs });
      if (table === CASES && changed > 0) await sealWhatBelongs(db, account, rows);
      return changed;
    },
    async countDrift({ account, operation, found, nowMs }) {
      const counts = Object.entries(countDrift(found)).map(([name, count]) => {
        const place = name.lastIndexOf(' ');
        return { member: name.slice(0, place), problem: name.slice(place + 1), count };
      });
      if (counts.length === 0) return;
      await sql`
        insert into tramita.record_drift as kept (account, operation, member, problem, count, last_seen_at)
        select ${account}, ${operation}, member, problem, count, ${instant(nowMs)}
        from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as seen (member text, problem text, count bigint)
        on conflict (account, operation, member, problem) do update
          set count = kept.count + excluded.count, last_seen_at = excluded.last_seen_at`.execute(db);
    },
  };
}

const OF_A_CASE = [
  'legal_case',
  'case_source',
  'movement',
  'case_summary',
  'publication',
  'precatorio',
  'search_hit',
  'notice',
  'public_document',
];

/** A case that turns out to be sealed seals what was stored of it before. */
async function sealWhatBelongs(db: Database, account: string, rows: readonly FactRow[]): Promise<void> {
  const sealed = rows
    .filter(({ sensitivity }) => sensitivity === 'SEALED')
    .map(({ columns }) => String(columns['cnj']));
  if (sealed.length === 0) return;
  for (const table of OF_A_CASE) {
    await sql`
      update ${sql.table(`tramita.${table}`)} set sensitivity = 'SEALED'
      where account = ${account} and cnj = any(${sealed}::text[]) and sensitivity <> 'SEALED'`.execute(db);
  }
}
