/**
 * The life (epoch) of the database: a worker sees by it that the ledger may have forgotten calls. `identity` is what the server
 * reported when this life began (system identifier, timeline, database and table); it changes with a restore, a fail-over or
 * another database. `ledger_journal` has one row per files folder of a worker: in which life its journal was heard.
 * Never edited once released.
 */
import type { Migration } from './migration.js';

export const ledgerLifeMigration: Migration = {
  name: '0018-ledger-life',
  sql: `
create function tramita.ledger_identity() returns text language sql stable as $$
  select case when pg_is_in_recovery() then 'standby' else
    (select system_identifier::text from pg_control_system())
    || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
    || '/' || (select oid::text from pg_database where datname = current_database())
    || '/' || 'tramita.intent'::regclass::oid::text end
$$;

create table tramita.ledger_life (
  singleton boolean primary key default true check (singleton),
  epoch uuid not null,
  identity text not null,
  -- What ran before this instant may have run in an earlier life.
  begun_at timestamptz not null,
  -- Since when charged calls wait until every journal was heard; null while they may be sent.
  held_since timestamptz,
  because text
);
-- A schema that is older than this table has had one life, as far as anybody knows.
insert into tramita.ledger_life (epoch, identity, begun_at)
select gen_random_uuid(), tramita.ledger_identity(), min(applied_at) from tramita.migration;

create table tramita.ledger_journal (
  journal_id uuid primary key,
  -- Host and folder, for people.
  label text not null,
  -- Life in which it was heard last; null: known from another worker, never heard.
  epoch uuid,
  heard_at timestamptz,
  -- A person said to go on without it, in this life.
  dismissed_in uuid,
  dismissed_by text
);

create function tramita.note_forgotten_rows() returns trigger language plpgsql as $$
begin
  update tramita.ledger_life set epoch = gen_random_uuid(), begun_at = clock_timestamp(),
    held_since = coalesce(held_since, clock_timestamp()), because = 'rows of the ledger were deleted';
  return null;
end
$$;
create trigger forgotten_rows after truncate on tramita.intent
  for each statement execute function tramita.note_forgotten_rows();
create trigger forgotten_row after delete on tramita.intent
  for each row execute function tramita.note_forgotten_rows();
`,
};
