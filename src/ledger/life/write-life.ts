/** Statements about the life of the database and about the journals that were heard in it. The keeper decides when they run. */
import { sql } from 'kysely';
import { instant, type Database } from '../../store/index.js';
import type { JournalState } from '../journal/journal-state.js';
import { readLife } from './read-life.js';
import type { LedgerLife } from './decide-life.js';

/** One at a time, so that two workers that see the same change begin one life. */
function underLifeLock<T>(db: Database, run: (trx: Database) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('tramita ledger life', 0))`.execute(trx);
    return run(trx);
  });
}

/**
 * Begins a new life for this server, held until every journal was heard; returns the present one if nothing is wrong with it. The
 * beginning is dated by the database's clock: whether an attempt is older decides whether it is paid again.
 */
export function beginLife(
  db: Database,
  { because, witness }: { readonly because: string; readonly witness: string | null },
): Promise<LedgerLife> {
  return underLifeLock(db, async (trx) => {
    const found = await readLife(trx, witness);
    if (found.epoch !== null && found.isSameServer && found.hasWitness) return found;
    await sql`
      insert into tramita.ledger_life as life (epoch, identity, begun_at, held_since, because)
      values (gen_random_uuid(), tramita.ledger_identity(), clock_timestamp(), clock_timestamp(), ${because})
      on conflict (singleton) do update set epoch = excluded.epoch, identity = excluded.identity,
        begun_at = excluded.begun_at, held_since = coalesce(life.held_since, excluded.held_since), because = excluded.because`.execute(
      trx,
    );
    return readLife(trx);
  });
}

/** Charged calls of all accounts wait from now on. An existing hold stays as it is. */
export async function holdLedger(db: Database, because: string): Promise<void> {
  await sql`
    update tramita.ledger_life set held_since = clock_timestamp(), because = ${because} where held_since is null`.execute(
    db,
  );
}

export interface JournalRow {
  readonly journalId: string;
  readonly label: string;
  readonly isHeard: boolean;
  readonly dismissedBy: string | null;
}

/** Every journal that is known. */
export async function listJournals(db: Database): Promise<readonly JournalRow[]> {
  const { rows } = await sql<JournalRow>`
    select journal_id as "journalId", label, dismissed_by as "dismissedBy",
      coalesce(journal.epoch = life.epoch, false) as "isHeard"
    from tramita.ledger_journal as journal left join tramita.ledger_life as life on true order by label`.execute(db);
  return rows;
}

/** Journals that must still be heard and that no person has dismissed. */
export function unheard(journals: readonly JournalRow[]): readonly JournalRow[] {
  return journals.filter(({ isHeard, dismissedBy }) => !isHeard && dismissedBy === null);
}

/** A journal is named by its id or by its label, which several may have. */
export function journalsNamed(journals: readonly JournalRow[], named: string): readonly JournalRow[] {
  return journals.filter(({ journalId, label }) => journalId === named || label === named);
}

/** Null: the database began another life meanwhile, so the journal has to be heard again. */
export function noteHeard(
  db: Database,
  heard: { readonly state: JournalState; readonly label: string; readonly epoch: string; readonly nowMs: number },
): Promise<readonly JournalRow[] | null> {
  const { state, label, epoch, nowMs } = heard;
  return underLifeLock(db, async (trx) => {
    const life = await readLife(trx);
    if (life.epoch !== epoch || !life.isSameServer) return null;
    for (const [journalId, peer] of Object.entries(state.peers)) {
      await sql`
        insert into tramita.ledger_journal (journal_id, label) values (${journalId}::uuid, ${peer})
        on conflict (journal_id) do nothing`.execute(trx);
    }
    await sql`
      insert into tramita.ledger_journal (journal_id, label, epoch, heard_at)
      values (${state.journalId}::uuid, ${label}, ${epoch}::uuid, ${instant(nowMs)})
      on conflict (journal_id) do update set label = excluded.label, epoch = excluded.epoch,
        heard_at = excluded.heard_at, dismissed_in = null, dismissed_by = null`.execute(trx);
    await releaseIfHeard(trx);
    return listJournals(trx);
  });
}

/** A person goes on without this journal: calls no longer wait for it. False if no such journal is waited for. */
export function dismissJournal(
  db: Database,
  { journalId, by }: { readonly journalId: string; readonly by: string },
): Promise<boolean> {
  return underLifeLock(db, async (trx) => {
    const { numAffectedRows } = await sql`
      update tramita.ledger_journal set dismissed_in = (select epoch from tramita.ledger_life), dismissed_by = ${by}
      where journal_id = ${journalId}::uuid
        and epoch is distinct from (select epoch from tramita.ledger_life)`.execute(trx);
    await releaseIfHeard(trx);
    return (numAffectedRows ?? 0n) > 0n;
  });
}

/** Ends the hold if no journal is left to hear. */
export function releaseLedger(db: Database): Promise<void> {
  return underLifeLock(db, releaseIfHeard);
}

async function releaseIfHeard(trx: Database): Promise<void> {
  await sql`
    update tramita.ledger_life as life set held_since = null, because = null
    where held_since is not null and identity = tramita.ledger_identity() and not exists (
      select from tramita.ledger_journal as journal
      where journal.epoch is distinct from life.epoch and journal.dismissed_by is null)`.execute(trx);
}
