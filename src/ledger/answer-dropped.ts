/**
 * Answers that were deleted on purpose, by age or by an erasure. The row keeps its money and notes the deletion in its evidence.
 * No look-up reuses such an answer, and the row's own step learns that it was deleted, never that nothing was bought.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../store/index.js';
import type { Intent } from './intent.js';

/** Mark in the evidence of a row. */
const DROPPED = 'answerDropped';

/** SQL condition: the answer of the row was deleted on purpose. */
export const ANSWER_DROPPED = sql<boolean>`coalesce(evidence ? '${sql.raw(DROPPED)}', false)`;

export function isAnswerDropped({ evidence }: Pick<Intent, 'evidence'>): boolean {
  return evidence?.[DROPPED] !== undefined;
}

/** SQL for the evidence of a row with the mark added. */
export function droppedAt(nowMs: number): RawBuilder<unknown> {
  return sql`coalesce(evidence, '{}') || jsonb_build_object(${sql.lit(DROPPED)}, ${new Date(nowMs).toISOString()}::text)`;
}

/** Deletes answers in a transaction that holds {@link ARCHIVE_LOCK}; rows that had one refer to `left` instead. */
export async function takeAnswersAway(
  trx: Database,
  { hashes, left, nowMs }: { readonly hashes: readonly string[]; readonly left: string | null; readonly nowMs: number },
): Promise<void> {
  const going = sql`any(${[...hashes]}::text[])`;
  for (const table of ['intent', 'intent_archive']) {
    await sql`update ${sql.table(`tramita.${table}`)} set body_sha256 = ${left}, evidence = ${droppedAt(nowMs)}
      where body_sha256 = ${going}`.execute(trx);
  }
  await sql`update tramita.settlement_conflict set body_sha256 = ${left} where body_sha256 = ${going}`.execute(trx);
  await sql`
    with gone as (delete from tramita.answer_body where sha256 = ${going} returning stored_at, sha256)
    delete from tramita.answer_bytes as stored using gone
    where stored.stored_at = gone.stored_at and stored.sha256 = gone.sha256`.execute(trx);
}

/** Removes the reference to this file from all rows, archived ones too. */
export async function forgetAnswerFile(
  db: Database,
  { sha256, nowMs }: { readonly sha256: string; readonly nowMs: number },
): Promise<void> {
  for (const table of ['intent', 'intent_archive']) {
    await sql`
      update ${sql.table(`tramita.${table}`)} set evidence = (${droppedAt(nowMs)}) - 'file'
      where evidence ? 'file' and evidence -> 'file' ->> 'sha256' = ${sha256}`.execute(db);
  }
}
