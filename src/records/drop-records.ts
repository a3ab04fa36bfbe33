/**
 * Retention of records (docs/decisions/0047): deletes, in batches, rows that were neither seen nor changed for that long. What is
 * still in use stays: stored lists, monitors that bill, rounds with open cases, documents whose file is there. That a case is
 * sealed is never forgotten (`sealed_case`).
 */
import { sql, type RawBuilder } from 'kysely';
import { BATCH, inBatches, instant, type Database } from '../store/index.js';
import { LAST_SEEN } from './last-seen.js';
import { RUN_KEY } from './start-key.js';

interface Aged {
  readonly table: string;
  /** The time by which a row ages: a column, or the expression of an index. */
  readonly age: string;
  /** Only rows of the table that meet this condition are deleted. */
  readonly when?: RawBuilder<boolean>;
}

const AGED: readonly Aged[] = [
  ...['movement', 'case_source', 'legal_case', 'case_summary', 'publication', 'precatorio', 'search_hit', 'notice'].map(
    (table) => ({ table, age: LAST_SEEN }),
  ),
  { table: 'public_document', age: 'listed_at', when: sql<boolean>`stored is null` },
  { table: 'case_refresh', age: 'finished_at' },
  { table: 'notice_watermark', age: 'read_at' },
  { table: 'monitor', age: 'changed_at', when: sql<boolean>`not active` },
  { table: 'listing_snapshot', age: 'taken_at' },
  { table: 'notice_plan', age: 'planned_on', when: sql<boolean>`starts_with(once, ${RUN_KEY})` },
  { table: 'import_end', age: 'ended_at', when: sql<boolean>`starts_with(once, ${RUN_KEY})` },
];

/** Returns how many rows were deleted. Several workers may do it at once. */
export async function dropRecords(db: Database, { beforeMs }: { readonly beforeMs: number }): Promise<number> {
  const statements = [
    ...AGED.map((aged) => deleteOld(aged, beforeMs)),
    deleteListedCases(beforeMs),
    deleteLists(beforeMs),
    deleteItems(beforeMs),
    deleteRounds(beforeMs),
  ];
  let dropped = 0;
  for (const statement of statements) dropped += await inBatches(db, statement);
  return dropped;
}

/** How many rows are older, up to `most`, for `tramita doctor`. */
export async function countOldRecords(
  db: Database,
  { beforeMs, most }: { readonly beforeMs: number; readonly most: number },
): Promise<number> {
  const parts = AGED.map((aged) => sql`(select 1 ${oldRows(aged, beforeMs)} limit ${most})`);
  const { rows } = await sql<{ readonly count: number }>`
    select count(*)::integer as count from (${sql.join(parts, sql` union all `)} limit ${most}) as old`.execute(db);
  return rows[0]?.count ?? 0;
}

function oldRows({ table, age, when = sql<boolean>`true` }: Aged, beforeMs: number): RawBuilder<unknown> {
  return sql`from ${sql.table(`tramita.${table}`)} where ${sql.raw(age)} < ${instant(beforeMs)} and ${when}`;
}

function deleteOld(aged: Aged, beforeMs: number): RawBuilder<unknown> {
  return sql`
    delete from ${sql.table(`tramita.${aged.table}`)} where ctid = any (array(
      select ctid ${oldRows(aged, beforeMs)} order by ${sql.raw(aged.age)} limit ${BATCH} for update skip locked))`;
}

/** Lists of lawyers that nobody has imported again. */
const oldLists = (beforeMs: number) => sql`
  tramita.lawyer_collection as list where greatest(list.committed_at, list.provisional_at) < ${instant(beforeMs)}`;

function deleteListedCases(beforeMs: number): RawBuilder<unknown> {
  return sql`
    delete from tramita.lawyer_case where (set_id, row_key) in (
      select set_id, row_key from tramita.lawyer_case
      where set_id in (select unnest(array[list.current, list.provisional]) from ${oldLists(beforeMs)}) limit ${BATCH})`;
}

/** A list is deleted after its cases. */
function deleteLists(beforeMs: number): RawBuilder<unknown> {
  return sql`
    delete from tramita.lawyer_collection where (account, oab) in (
      select list.account, list.oab from ${oldLists(beforeMs)}
        and not exists (select from tramita.lawyer_case where set_id in (list.current, list.provisional))
      limit ${BATCH} for update skip locked)`;
}

/** Rounds in which nothing has changed and nothing waits. */
const oldRounds = (beforeMs: number) => sql`
  tramita.portfolio_round as old where old.started_at < ${instant(beforeMs)} and not exists (
    select from tramita.portfolio_item as item where item.round = old.round
      and (item.state in ('waiting', 'started') or item.changed_at >= ${instant(beforeMs)}))`;

function deleteItems(beforeMs: number): RawBuilder<unknown> {
  return sql`
    delete from tramita.portfolio_item where (round, cnj) in (
      select round, cnj from tramita.portfolio_item
      where round in (select old.round from ${oldRounds(beforeMs)}) limit ${BATCH})`;
}

function deleteRounds(beforeMs: number): RawBuilder<unknown> {
  return sql`
    delete from tramita.portfolio_round where round in (
      select old.round from ${oldRounds(beforeMs)}
        and not exists (select from tramita.portfolio_item as item where item.round = old.round)
      limit ${BATCH} for update skip locked)`;
}
