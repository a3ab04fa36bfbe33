/**
 * Retention of answers (docs/decisions/0047). An answer is deleted if every row that has it is settled, older than the setting,
 * and of a run that has been quiet as long and waits for nothing. `answer-dropped.ts` says what is left of it.
 */
import { sql, type RawBuilder } from 'kysely';
import { dropEmptyMonths, instant, withLocks, type Database } from '../store/index.js';
import { droppedAt, takeAnswersAway } from './answer-dropped.js';
import { ARCHIVE_LOCK } from './lock-names.js';

export interface DropOrder {
  /** Answers whose rows were settled before this instant. */
  readonly beforeMs: number;
  readonly nowMs: number;
  /** Answers per transaction; default 500. */
  readonly batch?: number;
}

const BATCH = 500;
/** Per run; the next run continues. */
const MAX_BATCHES = 200;

/** Returns how many answers were deleted. Workers take turns, with each other and with the archive. */
export async function dropAnswers(db: Database, order: DropOrder): Promise<number> {
  let dropped = 0;
  let after: Candidate = { sha256: '', storedAt: new Date(0).toISOString() };
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const { candidates, gone } = await dropBatch(db, order, after);
    dropped += gone;
    const last = candidates.at(-1);
    if (last === undefined || candidates.length < (order.batch ?? BATCH)) break;
    after = last;
  }
  await dropEmptyMonths(db, 'answer_bytes', order.beforeMs);
  return dropped;
}

interface Candidate {
  readonly sha256: string;
  /** As the database prints it, to the microsecond. */
  readonly storedAt: string;
}

function dropBatch(db: Database, { beforeMs, nowMs, batch = BATCH }: DropOrder, after: Candidate) {
  return withLocks(db, [ARCHIVE_LOCK], async (trx) => {
    const { rows: candidates } = await sql<Candidate>`
      select sha256, stored_at::text as "storedAt" from tramita.answer_body
      where stored_at < ${instant(beforeMs)} and (stored_at, sha256) > (${after.storedAt}::timestamptz, ${after.sha256})
      order by stored_at, sha256 limit ${batch} for update skip locked`.execute(trx);
    // A separate statement: a settlement with this answer either holds its row, or waits for it now and then stores the answer
    // again.
    const { rows } = await sql<{ readonly sha256: string }>`
      select sha256 from unnest(${candidates.map(({ sha256 }) => sha256)}::text[]) as sha256
      where ${isNowhere(sql`tramita.intent_all as intent where intent.body_sha256 = sha256 and ${isNeeded(beforeMs)}`)}
        and ${isNowhere(sql`tramita.settlement_conflict as found where found.body_sha256 = sha256 and found.found_at >= ${instant(beforeMs)}`)}`.execute(
      trx,
    );
    const hashes = rows.map(({ sha256 }) => sha256);
    if (hashes.length > 0) await takeAnswersAway(trx, { hashes, left: null, nowMs });
    return { candidates, gone: hashes.length };
  });
}

/** Evaluated for each answer: the planner might answer a plain `not exists` by reading a whole table. */
function isNowhere(rows: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`(select true from ${rows} limit 1) is null`;
}

/** SQL condition on a row `intent`: it is undecided or young, or its run, which may ask for it again, is active or waits. */
function isNeeded(beforeMs: number): RawBuilder<boolean> {
  const young = (row: string): RawBuilder<boolean> =>
    sql`coalesce(${sql.ref(`${row}.settled_at`)}, 'infinity') >= ${instant(beforeMs)}`;
  return sql<boolean>`(
    intent.state not in ('done', 'rejected', 'not_sent', 'closed') or ${young('intent')}
    or exists (
      select from tramita.intent as other
      where other.workflow_id = intent.workflow_id and other.first_run_id = intent.first_run_id and ${young('other')})
    or exists (select from tramita.waiter where waiter.workflow_id = intent.workflow_id))`;
}

/** The same for answers that are files: the row drops its file, and the file is queued for removal. Returns how many rows did. */
export async function dropAnswerFiles(db: Database, { beforeMs, nowMs, batch = BATCH }: DropOrder): Promise<number> {
  let dropped = 0;
  for (const table of ['intent', 'intent_archive']) {
    const { numAffectedRows } = await sql`
      with old as materialized (
        select intent_id, evidence -> 'file' ->> 'sha256' as sha256 from ${sql.table(`tramita.${table}`)} as intent
        where evidence ? 'file' and settled_at < ${instant(beforeMs)} and not ${isNeeded(beforeMs)}
        order by settled_at limit ${batch} for update skip locked
      ), noted as (
        insert into tramita.file_removal (sha256) select distinct sha256 from old on conflict do nothing
      )
      update ${sql.table(`tramita.${table}`)} as intent set evidence = (${droppedAt(nowMs)}) - 'file'
      from old where intent.intent_id = old.intent_id`.execute(db);
    dropped += Number(numAffectedRows ?? 0);
  }
  return dropped;
}
