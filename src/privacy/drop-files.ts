/**
 * Retention of files (docs/decisions/0047). One transaction takes the file out of its records and notes it in `file_removal`.
 * Then the file is removed, unless another record has the same bytes. After a crash the next round continues from the notes.
 * Without a file store that all workers share, the file is on the disk of one of them, and each removes its own.
 */
import { sql } from 'kysely';
import type { Files } from '../files/index.js';
import { dropAnswerFiles } from '../ledger/index.js';
import { BATCH, instant, rowsInPages, type Database } from '../store/index.js';

interface Order {
  readonly beforeMs: number;
  readonly nowMs: number;
}

/** Files that one round removes; the next round continues. */
const MOST_REMOVED = 1_000;
const NONE = { files: 0, more: false };
/** Where each worker removes its own files, the notes stay for so long, so that a worker that was stopped meanwhile sees them. */
const NOTED_FOR = sql`interval '30 days'`;

/** The files of this worker. */
export type RemovableFiles = Pick<Files, 'elsewhere' | 'landedAtMs' | 'remove'>;

/**
 * Returns how many records lost their file, how many files were removed from the shared store, and whether there may be more: a
 * round that finds nothing is the last. Rejects if the file store does not answer.
 */
export async function dropFiles(
  db: Database,
  files: RemovableFiles,
  order: Order,
): Promise<{ readonly records: number; readonly files: number; readonly more: boolean }> {
  // One batch a round: files are forgotten about as fast as they are removed.
  const documents = Number((await forgetDocumentFiles(order).execute(db)).numAffectedRows ?? 0);
  const answers = await dropAnswerFiles(db, order);
  const { files: removed, more } = files.elsewhere ? await removeNoted(db, files) : NONE;
  return { records: documents + answers, files: removed, more: more || documents + answers > 0 };
}

/** Removes the noted files from the disk of this worker, if that is where its files stay. */
export async function removeOwnFiles(
  db: Database,
  files: RemovableFiles,
): Promise<{ readonly files: number; readonly more: boolean }> {
  if (files.elsewhere) return NONE;
  const notes = rowsInPages<{ readonly sha256: string; readonly sinceMs: number }>(
    db,
    BATCH,
    (last) =>
      sql`select sha256, since as "sinceMs" from tramita.file_removal where sha256 > ${last?.sha256 ?? ''} order by sha256`,
  );
  let removed = 0;
  for await (const { sha256, sinceMs } of notes) {
    // A file that came after its note was bought again. Its record is written later than the file: after a crash, from the spool.
    if (((await files.landedAtMs(sha256)) ?? Infinity) > sinceMs) continue;
    if (await removeUnlessUsed(db, files, sha256)) removed += 1;
    if (removed === MOST_REMOVED) return { files: removed, more: true };
  }
  await sql`delete from tramita.file_removal where since < clock_timestamp() - ${NOTED_FOR}`.execute(db);
  return { files: removed, more: false };
}

function forgetDocumentFiles({ beforeMs, nowMs }: Order) {
  return sql`
    with old as materialized (
      select account, cnj, document_id, sha256 from tramita.public_document
      where stored is not null and downloaded_at < ${instant(beforeMs)}
      order by downloaded_at limit ${BATCH} for update skip locked
    ), noted as (
      insert into tramita.file_removal (sha256) select distinct sha256 from old where sha256 is not null on conflict do nothing
    )
    update tramita.public_document as document set stored = null, file_dropped_at = ${instant(nowMs)} from old
    where document.account = old.account and document.cnj = old.cnj and document.document_id = old.document_id`;
}

/** Asked just before each removal: a thousand removals may take minutes, in which one of the files may be bought again. */
async function isUsed(db: Database, sha256: string): Promise<boolean> {
  const { rows } = await sql<{ readonly named: boolean }>`
    select exists (select from tramita.public_document where sha256 = ${sha256} and stored is not null)
      or exists (select from tramita.intent where evidence ? 'file' and evidence -> 'file' ->> 'sha256' = ${sha256})
      or exists (select from tramita.intent_archive where evidence ? 'file' and evidence -> 'file' ->> 'sha256' = ${sha256})
      as named`.execute(db);
  return rows[0]?.named === true;
}

/** Removes a file, unless a record has its bytes: it was bought again, or belongs to somebody else too. True if it was removed. */
export async function removeUnlessUsed(db: Database, files: Pick<Files, 'remove'>, sha256: string): Promise<boolean> {
  if (await isUsed(db, sha256)) return false;
  await files.remove(sha256);
  return true;
}

/** Removes the noted files that no record has any more. */
async function removeNoted(
  db: Database,
  files: Pick<Files, 'remove'>,
): Promise<{ readonly files: number; readonly more: boolean }> {
  const { rows } = await sql<{ readonly sha256: string }>`
    select sha256 from tramita.file_removal order by since limit ${MOST_REMOVED}`.execute(db);
  let removed = 0;
  for (const { sha256 } of rows) {
    if (await removeUnlessUsed(db, files, sha256)) removed += 1;
    await sql`delete from tramita.file_removal where sha256 = ${sha256}`.execute(db);
  }
  return { files: removed, more: rows.length > 0 };
}
