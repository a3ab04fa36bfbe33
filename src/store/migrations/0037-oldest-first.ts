/**
 * Retention at any size: the oldest events are found by their time, because a wrong clock breaks the order of recording. And
 * making a month neither waits for the default partition nor locks it for long.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const oldestFirstMigration: Migration = {
  name: '0037-oldest-first',
  sql: `
-- Whether a new month has to stay in the default partition: rows of it are there already, or there is more in it than can be
-- looked through while everybody who writes to it waits (625 MB took 5 s). There it is deleted row by row.
create function tramita.stays_in_default(parent text, month date) returns boolean language plpgsql stable as $function$
declare
  others constant regclass := to_regclass(format('tramita.%I', parent || '_default'));
  at text;
  used boolean;
begin
  if others is null then return false; end if;
  if pg_relation_size(others) > 268435456 then return true; end if;
  select attname into strict at from pg_partitioned_table
    join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
    where partrelid = format('tramita.%I', parent)::regclass;
  execute format('select exists (select from %s where %I >= $1 and %I < $2)', others, at, at) into used
    using month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC';
  return used;
end
$function$;

create or replace function tramita.make_month(parent text, month date) returns boolean
language plpgsql set lock_timeout = '1s' as $function$
declare
  name constant text := parent || to_char(month, '_YYYYMM');
begin
  if to_regclass(format('tramita.%I', name)) is not null then return true; end if;
  if tramita.stays_in_default(parent, month) then return false; end if;
  perform pg_advisory_xact_lock(hashtextextended('tramita ' || parent, 0));
  if to_regclass(format('tramita.%I', name)) is not null then return true; end if;
  execute format('create table tramita.%I (like tramita.%I)', name, parent);
  execute format('alter table tramita.%I attach partition tramita.%I for values from (%L) to (%L)', parent, name,
    month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
  return true;
exception when check_violation then
  return false;
end
$function$;
`,
  after: ['create index concurrently if not exists event_received on tramita.event (received_at)'],
};
