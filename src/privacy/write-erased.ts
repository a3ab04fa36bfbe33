/** Statements that take a person out of the tables. Each is one short transaction and can be repeated. */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { codeOfError } from '../contract/values/index.js';
import { ARCHIVE_LOCK, forgetAnswerFile, takeAnswersAway } from '../ledger/index.js';
import { lockNumber, rowsInPages, withLocks, type Database } from '../store/index.js';
import type { Verdict } from './judge.js';
import type { TablePlace } from './places.js';
import { columnAsRead, isRow, type Cell, type PlaceRow } from './rows.js';

const UNIQUE_VIOLATION = '23505';

/** The `data_hash` of an erased record, equal to no other: a record that is bought again counts as changed and is written. */
const ERASED_HASH = 'erased';
const HASHED = new Set([
  ...['legal_case', 'case_source', 'movement', 'case_summary', 'public_document', 'publication', 'precatorio'],
  ...['search_hit', 'notice', 'lawyer_case'],
]);

/** False if somebody has changed the row since it was read: the next round finds it again. */
export async function writeVerdict(db: Database, place: TablePlace, row: PlaceRow, verdict: Verdict): Promise<boolean> {
  if (verdict.kind === 'stays') return false;
  if (verdict.kind === 'goes') {
    const { numAffectedRows } =
      await sql`delete from ${sql.table(`tramita.${place.table}`)} where ${isRow(place, row.key)}`.execute(db);
    return (numAffectedRows ?? 0n) > 0n;
  }
  try {
    return await replaceCells(db, place, row, verdict.cells);
  } catch (error) {
    if (codeOfError(error) !== UNIQUE_VIOLATION) throw error;
    // Another row already has the same mark in a unique column: this row's mark gets a suffix.
    const suffix = randomBytes(4).toString('hex');
    const unique = await uniqueColumns(db, place);
    const cells = Object.entries(verdict.cells).map(
      ([name, cell]) => [name, unique.has(name) && typeof cell === 'string' ? `${cell}#${suffix}` : cell] as const,
    );
    return replaceCells(db, place, row, Object.fromEntries(cells));
  }
}

async function uniqueColumns(db: Database, { table }: TablePlace): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ readonly name: string }>`
    select attname as name from pg_index join pg_attribute on attrelid = indrelid and attnum = any (indkey)
    where indisunique and indrelid = ${`tramita.${table}`}::regclass`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

async function replaceCells(
  db: Database,
  place: TablePlace,
  row: PlaceRow,
  cells: Readonly<Record<string, Cell>>,
): Promise<boolean> {
  const table = sql.table(`tramita.${place.table}`);
  const changes = Object.entries(cells).map(([name, cell]) => sql`${sql.ref(name)} = ${asWritten(place, name, cell)}`);
  if (HASHED.has(place.table)) changes.push(sql`data_hash = ${ERASED_HASH}`);
  const keys = cells['waiter_keys'];
  if (Array.isArray(keys)) {
    // The first lock is the call's subject; the others are made from the keys, and would reveal them.
    changes.push(
      sql`locks = locks[1:1] || ${`{${(keys as string[]).map((key) => lockNumber(key)).join(',')}}`}::bigint[]`,
    );
  }
  const unchanged = Object.keys(cells).flatMap((name) => {
    const before = row.cells[name] ?? null;
    return Buffer.isBuffer(before) ? [] : [sql`${columnAsRead(place, name)} is not distinct from ${before}`];
  });
  const { numAffectedRows } = await sql`
    update ${table} set ${sql.join(changes)}
    where ${sql.join([isRow(place, row.key), ...unchanged], sql` and `)}`.execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

function asWritten(place: TablePlace, name: string, cell: Cell) {
  return place.columns[name] === 'json' ? sql`${cell}::jsonb` : sql`${cell}`;
}

export interface StoredAnswer {
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** Per page: an answer may have megabytes. */
const ANSWERS = 20;

/** All stored answers, page by page. */
export async function* answersIn(db: Database): AsyncGenerator<StoredAnswer> {
  const answers = rowsInPages<{ readonly sha256: string; readonly bytes: Buffer | null }>(
    db,
    ANSWERS,
    (last) => sql`
      select sha256, coalesce(body.bytes, (select bytes from tramita.answer_bytes as stored
        where stored.stored_at = body.stored_at and stored.sha256 = body.sha256)) as bytes
      from tramita.answer_body as body where sha256 > ${last?.sha256 ?? ''} order by sha256`,
  );
  for await (const { sha256, bytes } of answers) if (bytes !== null) yield { sha256, bytes };
}

/**
 * Stores what is left of an answer under its own hash. The rows of its calls note that the answer was dropped on purpose: no
 * look-up returns it, and an equal answer that is bought again is stored again.
 */
export function replaceAnswer(db: Database, answer: StoredAnswer, rest: Buffer, nowMs: number): Promise<void> {
  const sha256 = createHash('sha256').update(rest).digest('hex');
  return withLocks(db, [ARCHIVE_LOCK], async (trx) => {
    await sql`
      with stored as (
        insert into tramita.answer_body (sha256, content_type, stored_at)
        select ${sha256}, content_type, stored_at from tramita.answer_body where sha256 = ${answer.sha256}
        on conflict (sha256) do nothing returning sha256, stored_at)
      insert into tramita.answer_bytes (stored_at, sha256, bytes) select stored_at, sha256, ${rest}::bytea from stored
      on conflict do nothing`.execute(trx);
    await takeAnswersAway(trx, { hashes: [answer.sha256], left: sha256, nowMs });
  });
}

/** Takes a file out of its documents and calls, before it is removed. */
export async function forgetFile(db: Database, sha256: string, nowMs: number): Promise<void> {
  await sql`
    update tramita.public_document set sha256 = null, bytes = null, stored = null, downloaded_at = null
    where sha256 = ${sha256}`.execute(db);
  await forgetAnswerFile(db, { sha256, nowMs });
}
