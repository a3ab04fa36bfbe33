/**
 * What retention needs (docs/decisions/0047): the rows of an answer are found from the answer, files are noted before they are
 * removed, sealed cases are listed apart from their records, and a month is dropped only if it is empty. Never edited once
 * released.
 */
import type { Migration } from './migration.js';

/** Kinds of records, each with the time by which they age. */
const AGES = {
  legal_case: 'changed_at',
  case_source: 'changed_at',
  movement: 'changed_at',
  case_summary: 'changed_at',
  publication: 'changed_at',
  precatorio: 'changed_at',
  search_hit: 'changed_at',
  notice: 'changed_at',
  case_refresh: 'finished_at',
};

export const retentionMigration: Migration = {
  name: '0033-retention',
  sql: `
-- When the file went by its age; hash and size stay.
alter table tramita.public_document add column file_dropped_at timestamptz;

-- Noted together with the last record that named the file: the file itself goes afterwards, however often that is broken off.
create table tramita.file_removal (
  sha256 text primary key,
  since timestamptz not null default clock_timestamp()
);

-- Cases under secrecy of justice, for good: records of them may go by their age, and what comes later is sealed all the same.
create table tramita.sealed_case (
  account text not null,
  cnj text not null,
  since timestamptz not null default clock_timestamp(),
  primary key (account, cnj)
);
-- Programs of the release before do not know of it.
create function tramita.note_sealed_case() returns trigger language plpgsql as $function$
begin
  insert into tramita.sealed_case (account, cnj) values (new.account, new.cnj) on conflict do nothing;
  return null;
end
$function$;
create trigger sealed after insert or update of sensitivity on tramita.legal_case
  for each row when (new.sensitivity = 'SEALED') execute function tramita.note_sealed_case();

-- Months that are over before that instant and have nothing left; returns how many were dropped.
create function tramita.drop_empty_months(parent text, before timestamptz) returns integer
language plpgsql set lock_timeout = '1s' as $function$
declare
  name text;
  used boolean;
  dropped integer := 0;
begin
  for name in
    select child.relname from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = format('tramita.%I', parent)::regclass and child.relname ~ '_[0-9]{6}$'
      and to_date(right(child.relname, 6), 'YYYYMM') + interval '1 month' <= before at time zone 'UTC'
    order by child.relname
  loop
    execute format('select exists (select from tramita.%I)', name) into used;
    if not used then
      execute format('drop table tramita.%I', name);
      dropped := dropped + 1;
    end if;
  end loop;
  return dropped;
end
$function$;
`,
  after: [
    `insert into tramita.sealed_case (account, cnj)
      select distinct account, cnj from tramita.legal_case where sensitivity = 'SEALED' on conflict do nothing`,
    // Which rows have this answer. A hash index, because only equality is ever asked.
    'create index concurrently if not exists intent_answer on tramita.intent using hash (body_sha256) where body_sha256 is not null',
    'create index if not exists intent_archive_answer on tramita.intent_archive (body_sha256) where body_sha256 is not null',
    'create index concurrently if not exists answer_body_age on tramita.answer_body (stored_at, sha256)',
    // Answers that are files are few.
    "create index concurrently if not exists intent_file on tramita.intent ((evidence -> 'file' ->> 'sha256')) where evidence ? 'file'",
    "create index concurrently if not exists intent_file_age on tramita.intent (settled_at) where evidence ? 'file'",
    "create index if not exists intent_archive_file on tramita.intent_archive ((evidence -> 'file' ->> 'sha256')) where evidence ? 'file'",
    "create index if not exists intent_archive_file_age on tramita.intent_archive (settled_at) where evidence ? 'file'",
    'create index concurrently if not exists public_document_file on tramita.public_document (sha256) where stored is not null',
    'create index concurrently if not exists public_document_file_age on tramita.public_document (downloaded_at) where stored is not null',
    'create index concurrently if not exists public_document_age on tramita.public_document (listed_at) where stored is null',
    ...Object.entries(AGES).map(
      ([table, column]) => `create index concurrently if not exists ${table}_age on tramita.${table} (${column})`,
    ),
  ],
};
