/**
 * Moves settled rows to the archive (docs/decisions/0038), in batches, each in one transaction. A row stays while a statement
 * about the present could need it: it has a `once` key or books a free read; it is young, undecided or contradicted; an unsettled
 * row joined it; it is its account's newest, reported or followed the last balance, or has its operation's highest charge.
 */
import { sql, type RawBuilder } from 'kysely';
import { ARCHIVE_AT_LEAST_MS, DAY_MS } from '../contract/values/index.js';
import { instant, makeMonthsOf, withLocks, type Database } from '../store/index.js';
import { ARCHIVE_LOCK } from './lock-names.js';
import { FREE_READ } from './states.js';

export interface ArchiveOrder {
  /** Rows that were settled before this instant are moved. It is at least {@link ARCHIVE_AT_LEAST_MS} ago. */
  readonly beforeMs: number;
  readonly nowMs: number;
  /** Rows per transaction; default 500. */
  readonly batch?: number;
}

const BATCH = 500;
/** Per run; the next run continues. */
const MAX_BATCHES = 1_000;

interface Candidate {
  readonly id: string;
  readonly openedAtMs: number;
  readonly settledAtMs: number;
  readonly stays: boolean;
}

/** Returns how many rows were moved. Workers that run it at the same time take turns. */
export async function archiveIntents(db: Database, order: ArchiveOrder): Promise<number> {
  const { beforeMs, nowMs, batch = BATCH } = order;
  if (beforeMs > nowMs - ARCHIVE_AT_LEAST_MS) {
    throw new Error(`tramita: rows younger than ${ARCHIVE_AT_LEAST_MS / DAY_MS} days stay out of the archive`);
  }
  let moved = 0;
  let afterMs = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const candidates = await moveBatch(db, { afterMs, beforeMs, batch });
    moved += candidates.filter(({ stays }) => !stays).length;
    if (candidates.length < batch) break;
    const lastMs = candidates.at(-1)?.settledAtMs ?? afterMs;
    // Skips a full batch of one millisecond of which every row stays.
    afterMs = lastMs === afterMs && candidates.every(({ stays }) => stays) ? lastMs + 1 : lastMs;
  }
  return moved;
}

/** The copy and the deletion are committed together, so nobody sees a row twice or not at all. */
function moveBatch(db: Database, range: Range): Promise<readonly Candidate[]> {
  return withLocks(db, [ARCHIVE_LOCK], async (trx) => {
    const { rows: candidates } = await selectCandidates(range).execute(trx);
    const moving = candidates.filter(({ stays }) => !stays);
    if (moving.length === 0) return candidates;
    const ids = sql`any(${moving.map(({ id }) => id)}::uuid[])`;
    const openedAtMs = moving.map((row) => row.openedAtMs);
    await makeMonthsOf(trx, 'intent_archive', openedAtMs);
    await sql`
      with moved as (insert into tramita.intent_archive select * from tramita.intent where intent_id = ${ids} returning *)
      insert into tramita.archived_run as known (run, opened_from, opened_to)
      select hashtextextended(workflow_id || ' ' || first_run_id, 0) as run, min(opened_at), max(opened_at)
      from moved group by run order by run
      on conflict (run) do update set opened_from = least(known.opened_from, excluded.opened_from),
        opened_to = greatest(known.opened_to, excluded.opened_to)`.execute(trx);
    // A separate statement, because the triggers check whether the row is in the archive.
    await sql`delete from tramita.intent where intent_id = ${ids}`.execute(trx);
    return candidates;
  });
}

interface Range {
  readonly afterMs: number;
  readonly beforeMs: number;
  readonly batch: number;
}

function selectCandidates({ afterMs, beforeMs, batch }: Range): RawBuilder<Candidate> {
  return sql<Candidate>`
    with old as materialized (
      select * from tramita.intent
      where once is null and state in ('done', 'rejected', 'not_sent', 'closed')
        and settled_at >= ${instant(afterMs)} and settled_at < ${instant(beforeMs)}
      order by settled_at limit ${batch} for update skip locked
    ), newest as materialized (
      select account, (select max(opened_at) from tramita.intent where intent.account = own.account) as opened_at,
        (select max(balance_at) from tramita.intent where intent.account = own.account and balance_after is not null) as told_at
      from (select distinct account from old) as own
    ), dearest as materialized (
      select account, operation, (
        select intent_id from tramita.intent
        where intent.account = own.account and intent.operation = own.operation and charged > 0
        order by charged desc limit 1) as intent_id
      from (select distinct account, operation from old) as own
    )
    select old.intent_id as id, old.opened_at as "openedAtMs", settled_at as "settledAtMs",
      ${FREE_READ} or old.opened_at >= newest.opened_at or old.intent_id is not distinct from dearest.intent_id
        or ((balance_after is not null or reserved > 0) and greatest(balance_at, settled_at) >= coalesce(told_at, 'infinity'))
        or exists (select from tramita.intent as copy where copy.joined = old.intent_id and copy.settled_at is null)
        or exists (select from tramita.settlement_conflict as found where found.intent_id = old.intent_id) as stays
    from old join newest using (account) join dearest using (account, operation) order by settled_at`;
}
