/**
 * Facts about cases over one database: the normalised content of an answer, written with one statement per table in one
 * transaction and one round trip.
 */
import { sql } from 'kysely';
import { countDrift, type Drift } from '../../contract/index.js';
import { instant, writeTogether, type Database, type Writable } from '../../store/index.js';
import { rowsByKey } from '../rows-by-key.js';
import { buildSave, type FactRow, type FactTable } from './save-rows.js';
import { CASES } from './tables.js';

export interface AnswerFacts {
  readonly account: string;
  readonly operation: string;
  readonly pages: readonly FactPage[];
  /** What could not be mapped. */
  readonly drift: readonly Drift[];
  readonly nowMs: number;
}

export interface FactPage {
  readonly table: FactTable;
  readonly rows: readonly FactRow[];
}

export interface Facts {
  /** The statements of {@link Facts.save}, for another transaction. */
  writesOf(facts: AnswerFacts): readonly Writable[];
  /** Upserts the pages and counts the drift, all or none; returns how many rows of the pages were written. */
  save(facts: AnswerFacts): Promise<number>;
}

export function createFacts({ db }: { readonly db: Database }): Facts {
  return {
    writesOf: (facts) => [...savesOf(facts), ...othersOf(facts)],
    async save(facts) {
      const saves = savesOf(facts);
      const writes = [...saves, ...othersOf(facts)];
      if (writes.length === 0) return 0;
      const touched = await writeTogether(db, writes);
      return touched.slice(0, saves.length).reduce((sum, rows) => sum + rows, 0);
    },
  };
}

/** Like rows, tables are always written in the same order, so that answers wait for each other without a deadlock. */
function savesOf(facts: AnswerFacts): readonly Writable[] {
  const pages = [...facts.pages].sort(
    (a, b) => Number(a.table.table > b.table.table) - Number(a.table.table < b.table.table),
  );
  return pages.flatMap(({ table, rows }) => buildSave(table, { ...facts, rows }) ?? []);
}

function othersOf(facts: AnswerFacts): readonly Writable[] {
  return [...sealWhatBelongs(facts), ...addDrift(facts)];
}

function addDrift({ account, operation, drift, nowMs }: AnswerFacts): readonly Writable[] {
  const counts = rowsByKey(Object.entries(countDrift(drift)), ([name]) => name).map(([name, count]) => {
    const place = name.lastIndexOf(' ');
    return { member: name.slice(0, place), problem: name.slice(place + 1), count };
  });
  if (counts.length === 0) return [];
  return [
    sql`
      insert into tramita.record_drift as kept (account, operation, member, problem, count, last_seen_at)
      select ${account}, ${operation}, member, problem, count, ${instant(nowMs)}
      from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as seen (member text, problem text, count bigint)
      on conflict (account, operation, member, problem) do update
        set count = kept.count + excluded.count, last_seen_at = excluded.last_seen_at`,
  ];
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
function sealWhatBelongs({ account, pages }: AnswerFacts): readonly Writable[] {
  const sealed = pages
    .flatMap(({ table, rows }) => (table === CASES ? rows : []))
    .filter(({ sensitivity }) => sensitivity === 'SEALED')
    .map(({ columns }) => String(columns['cnj']));
  if (sealed.length === 0) return [];
  return OF_A_CASE.map(
    (table) => sql`
      update ${sql.table(`tramita.${table}`)} set sensitivity = 'SEALED'
      where account = ${account} and cnj = any(${sealed}::text[]) and sensitivity <> 'SEALED'`,
  );
}
