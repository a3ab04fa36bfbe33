/**
 * The archive of the ledger: settled rows that no decision needs any more move to a table by month (docs/decisions/0038). Sums
 * and lives stay as they are: a row in the archive was moved, not deleted. Never edited once released: add a new
 * migration.
 */
import type { Migration } from './migration.js';

export const archiveMigration: Migration = {
  name: '0025-archive',
  sql: `
-- The columns of intent in their order: what is added to one is added to the other.
create table tramita.intent_archive (like tramita.intent, primary key (intent_id, opened_at)) partition by range (opened_at);
create index intent_archive_step on tramita.intent_archive (workflow_id, first_run_id, step, ordinal);
create index intent_archive_about on tramita.intent_archive (account, operation, subject, seq desc);
create index intent_archive_day on tramita.intent_archive (account, opened_at);
create index intent_archive_seq on tramita.intent_archive (seq);
create index intent_archive_request on tramita.intent_archive (request_id) where request_id is not null;

-- Which runs have rows there, and of when: the look for a step reads no month in vain. By hash, for it never shrinks.
create table tramita.archived_run (
  run bigint primary key,
  opened_from timestamptz not null,
  opened_to timestamptz not null
);

create view tramita.intent_all as select * from tramita.intent union all select * from tramita.intent_archive;

-- Functions, so that a statement which seldom needs the archive does not plan for each of its months.
create function tramita.archived_run(workflow text, first_run text) returns setof tramita.intent language plpgsql stable as $function$
declare
  found_run tramita.archived_run;
begin
  select * into found_run from tramita.archived_run where run = hashtextextended(workflow || ' ' || first_run, 0);
  if not found then return; end if;
  return query select * from tramita.intent_archive
    where workflow_id = workflow and first_run_id = first_run
      and opened_at between found_run.opened_from and found_run.opened_to;
end
$function$;
create function tramita.archived_intent(id uuid) returns setof tramita.intent language plpgsql stable strict as $function$
begin
  return query select * from tramita.intent_archive where intent_id = id;
end
$function$;
create function tramita.archived_about(of_account text, of_operation text, of_subject text) returns setof tramita.intent
language plpgsql stable as $function$
begin
  return query select * from tramita.intent_archive
    where account = of_account and operation = of_operation and subject = of_subject;
end
$function$;
create function tramita.is_archived(id uuid, at timestamptz) returns boolean language plpgsql stable as $function$
begin
  return exists (select from tramita.intent_archive where intent_id = id and opened_at = at);
end
$function$;

-- Originals and contradicted rows may be in the archive; ledger check finds those that are nowhere.
alter table tramita.intent drop constraint intent_joined_fkey;
alter table tramita.settlement_conflict drop constraint settlement_conflict_intent_id_fkey;

-- A row that was moved is still counted, and not forgotten.
drop trigger intent_spend on tramita.intent;
create trigger intent_spend after insert or update of state, reserved, charged, amount_source on tramita.intent
  for each row execute function tramita.count_spend();
create trigger intent_spend_deleted after delete on tramita.intent
  for each row when (not tramita.is_archived(old.intent_id, old.opened_at)) execute function tramita.count_spend();
drop trigger forgotten_row on tramita.intent;
create trigger forgotten_row after delete on tramita.intent
  for each row when (not tramita.is_archived(old.intent_id, old.opened_at)) execute function tramita.note_forgotten_rows();
create trigger forgotten_rows after truncate on tramita.intent_archive
  for each statement execute function tramita.note_forgotten_rows();
create trigger forgotten_row after delete on tramita.intent_archive
  for each row execute function tramita.note_forgotten_rows();

-- The same views over all rows. So that each name in them is printed whole:
set local search_path = pg_catalog;
do $$
declare
  name text;
begin
  foreach name in array array['spend_day_drift', 'spend_live_drift', 'spend_budget_drift'] loop
    execute format('create or replace view tramita.%I as %s', name,
      replace(pg_get_viewdef(format('tramita.%I', name)::regclass), 'FROM tramita.intent', 'FROM tramita.intent_all intent'));
  end loop;
end
$$;
`,
  after: [
    // What may be archived, oldest first.
    `create index concurrently if not exists intent_settled on tramita.intent (settled_at)
      where once is null and state in ('done', 'rejected', 'not_sent', 'closed')`,
  ],
};
