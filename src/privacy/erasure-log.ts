/** The erasure log in the database: an erasure is continued after a crash, and complete when every journal's disk is clean. */
import { sql } from 'kysely';
import { storableJson } from '../records/index.js';
import type { Database } from '../store/index.js';
import type { SubjectKind } from './subject.js';
import type { Learned } from './survey.js';

export interface Erasure {
  readonly id: string;
  readonly kind: SubjectKind;
  readonly token: string;
  readonly learned: Partial<Learned> | null;
}

export interface Asked {
  readonly kind: SubjectKind;
  readonly token: string;
  readonly by: string;
  readonly reason: string;
}

/** What an unfinished erasure of the subject has learned. */
export async function learnedBefore(
  db: Database,
  { kind, token }: Pick<Asked, 'kind' | 'token'>,
): Promise<Partial<Learned> | null> {
  const { rows } = await sql<{ readonly learned: Partial<Learned> | null }>`
    select learned from tramita.erasure where kind = ${kind} and token = ${token} and done_at is null`.execute(db);
  return rows[0]?.learned ?? null;
}

/** Continues the unfinished erasure of the subject, or begins a new one. Returns its id. */
export async function beginErasure(db: Database, { kind, token, by, reason }: Asked): Promise<string> {
  const { rows } = await sql<{ readonly id: string }>`
    insert into tramita.erasure (kind, token, by_whom, reason) values (${kind}, ${token}, ${by}, ${reason})
    on conflict (kind, token) where done_at is null do update set swept_at = null
    returning erasure_id as id`.execute(db);
  const [begun] = rows;
  if (begun === undefined) throw new Error('tramita: the erasure was not written');
  // What a worker has cleaned in an earlier attempt may have come back since.
  await sql`delete from tramita.erasure_journal where erasure_id = ${begun.id}::uuid`.execute(db);
  return begun.id;
}

export async function keepLearned(db: Database, id: string, learned: Learned): Promise<void> {
  await sql`update tramita.erasure set learned = ${JSON.stringify(storableJson(learned))}::jsonb where erasure_id = ${id}::uuid`.execute(
    db,
  );
}

/** Counts add up over attempts. */
export async function addCount(db: Database, id: string, place: string, count: number): Promise<void> {
  if (count === 0) return;
  await sql`
    update tramita.erasure set counts = counts || jsonb_build_object(${place}::text,
      coalesce((counts ->> ${place})::bigint, 0) + ${count}::bigint)
    where erasure_id = ${id}::uuid`.execute(db);
}

export async function noteSwept(db: Database, id: string): Promise<void> {
  await sql`update tramita.erasure set swept_at = clock_timestamp() where erasure_id = ${id}::uuid`.execute(db);
}

export async function reportJournal(db: Database, id: string, journalId: string): Promise<void> {
  await sql`
    insert into tramita.erasure_journal (erasure_id, journal_id) values (${id}::uuid, ${journalId}::uuid)
    on conflict (erasure_id, journal_id) do update set done_at = clock_timestamp()`.execute(db);
}

/** Erasures that this journal has not reported, oldest first. */
export async function erasuresFor(db: Database, journalId: string): Promise<readonly Erasure[]> {
  const { rows } = await sql<Erasure>`
    select erasure_id as id, kind, token, learned from tramita.erasure
    where done_at is null and swept_at is not null and not exists (
      select from tramita.erasure_journal as reported
      where reported.erasure_id = erasure.erasure_id and reported.journal_id = ${journalId}::uuid)
    order by begun_at`.execute(db);
  return rows;
}

/** The tokens of all numbers that were ever erased. */
export async function erasedTokens(db: Database): Promise<readonly Pick<Erasure, 'kind' | 'token'>[]> {
  const { rows } = await sql<Pick<Erasure, 'kind' | 'token'>>`
    select distinct kind, token from tramita.erasure order by kind, token`.execute(db);
  return rows;
}

/** Returns the labels of journals whose disk is not clean yet. If there are none, completes the erasure and forgets the names. */
export async function completeErasure(db: Database, id: string): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly label: string }>`
    select label from tramita.ledger_journal as journal
    where dismissed_by is null and not exists (
      select from tramita.erasure_journal as reported
      where reported.erasure_id = ${id}::uuid and reported.journal_id = journal.journal_id)
    order by label`.execute(db);
  if (rows.length > 0) return rows.map(({ label }) => label);
  await sql`
    update tramita.erasure set done_at = clock_timestamp(), learned = null
    where erasure_id = ${id}::uuid and swept_at is not null and done_at is null`.execute(db);
  return [];
}
