/**
 * Which months of a table have ended, for both functions that drop them. A server with object ids above 100,000 has tables such
 * as `pg_toast_137716`, and a plan may parse a name before it has checked whose table it is: so no name may fail here.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const monthsOverMigration: Migration = {
  name: '0035-months-over',
  sql: `
-- Names of the months of a table that are over before that instant, oldest first.
create function tramita.months_over(parent text, before timestamptz) returns setof text language sql stable as $function$
  select child.relname from pg_inherits join pg_class child on child.oid = inhrelid
  where inhparent = format('tramita.%I', parent)::regclass
    and case when child.relname ~ '_[0-9]{4}(0[1-9]|1[0-2])$'
      then to_date(right(child.relname, 6), 'YYYYMM') + interval '1 month' <= before at time zone 'UTC' else false end
  order by child.relname
$function$;

create or replace function tramita.drop_months(parent text, before timestamptz) returns integer
language plpgsql set lock_timeout = '1s' as $function$
declare
  name text;
  dropped integer := 0;
begin
  for name in select tramita.months_over(parent, before) loop
    execute format('drop table tramita.%I', name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end
$function$;

create or replace function tramita.drop_empty_months(parent text, before timestamptz) returns integer
language plpgsql set lock_timeout = '1s' as $function$
declare
  name text;
  used boolean;
  dropped integer := 0;
begin
  for name in select tramita.months_over(parent, before) loop
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
};
