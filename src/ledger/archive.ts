/**
 * Moves settled rows to the archive (docs/decisions/0038), in batches, each in one transaction. A row stays while any statement
 * about now could need it: it has a `once` key; it is young, undecided or contradicted; a copy of it is still moving; it is the
 * newest of its account, told or followed the last balance, or is the newest with the highest charge of its operation.
 */
import { sql } from 'kysely';
import { ARCHIVE_AT_LEAST_MS, DAY_MS } from '../contract/values/index.js';
import { instant, makeMonthsOf, withOpening, type Database } from '../store/index.js';
import { FREE_READ } from './states.js';

export interface ArchiveOrder {
  /** Settled and opened before; never younger than {@link ARCHIVE_AT_LEAST_MS}. */
  readonly beforeMs: number;
  readonly nowMs: number;
  /** Rows of one transaction; 500. */
  readonly batch?: number;
}

const BATCH = 500;
/** Of one round; the next one goes on. */
const MAX_BATCHES = 200;

interface Chosen {
  readonly id: string;
  readonly openedAtMs: number;
  readonly settledAtMs: number;
}

/** Returns how many rows were moved. Several workers may do it at once. */
export async function archiveIntents(db: Database, order: ArchiveOrder): Promise<number> {
  const { beforeMs, nowMs, batch = BATCH } = order;
  if (beforeMs > nowMs - ARCHIVE_AT_LEAST_MS) {
    throw new Error(`tramita: rows younger than ${ARCHIVE_AT_LEAST_MS / DAY_MS} days stay out of the archive`);
  }
  let moved = 0;
  // What stays stands before what may go: no batch looks through it again.
  let afterMs = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    const rows = await moveBatch(db, { afterMs, beforeMs, batch });
    moved += rows.length;
    afterMs = rows.at(-1)?.settledAtMs ?? afterMs;
    if (rows.length < batch) break;
  }
  return moved;
}

/** Nobody sees a row twice or not at all: the copy and the deletion are committed together. */
function moveBatch(
  db: Database,
  range: { readonly afterMs: number; readonly beforeMs: number; readonly batch: number },
): Promise<readonly Chosen[]> {
  return withOpening(db, [], async (trx) => {
    const { rows } = await choose(range).execute(trx);
    if (rows.length === 0) return rows;
    const ids = sql`any(${rows.map(({ id }) => id)}::uuid[])`;
    await makeMonthsOf(
      trx,
      'intent_archive',
      rows.map(({ openedAtMs }) => openedAtMs),
    );
    await sql`
      with moved as (insert into tramita.intent_archive select * from tramita.intent where intent_id = ${ids} returning *)
      insert into tramita.archived_run as known (run, opened_from, opened_to)
      select hashtextextended(workflow_id || ' ' || first_run_id, 0) as run, min(opened_at), max(opened_at)
      from moved group by run order by run
      on conflict (run) do update set opened_from = least(known.opened_from, excluded.opened_from),
        opened_to = greatest(known.opened_to, excluded.opened_to)`.execute(trx);
    // A statement of its own: the triggers look whether the row stands in the archive.
    await sql`delete from tramita.intent where intent_id = ${ids}`.execute(trx);
    return rows;
  });
}

function choose({ afterMs, beforeMs, batch }: { afterMs: number; beforeMs: number; batch: number }) {
  return sql<Chosen>`
    select intent_id as id, opened_at as "openedAtMs", settled_at as "settledAtMs" from tramita.intent as old
    where once is null and state in ('done', 'rejected', 'not_sent', 'closed') and not ${FREE_READ}
      and settled_at >= ${instant(afterMs)} and settled_at < ${instant(beforeMs)} and opened_at < ${instant(beforeMs)}
      and not exists (select from tramita.intent as copy where copy.joined = old.intent_id and copy.settled_at is null)
      and not exists (select from tramita.settlement_conflict as found where found.intent_id = old.intent_id)
      and exists (select from tramita.intent as newer where newer.account = old.account and newer.opened_at > old.opened_at)
      and ((balance_after is null and reserved = 0) or exists (
        select from tramita.intent as newer
        where newer.account = old.account and newer.balance_after is not null
          and newer.balance_at > greatest(old.balance_at, old.settled_at)))
      and (coalesce(charged, 0) <= 0 or exists (
        select from tramita.intent as dearer
        where dearer.account = old.account and dearer.operation = old.operation and dearer.charged > 0
          and dearer.charged >= old.charged and dearer.seq > old.seq))
    order by settled_at limit ${batch} for update skip locked`;
}
