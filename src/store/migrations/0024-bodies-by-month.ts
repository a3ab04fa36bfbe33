/**
 * Bodies of events and answers by month: large bodies go to partitions that are dropped whole; what must be unique forever (ids
 * of events, hashes of answers) stays in small tables (docs/decisions/0037). Older bodies stay where they are.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const bodiesByMonthMigration: Migration = {
  name: '0024-bodies-by-month',
  sql: `
create table tramita.event_bytes (
  received_at timestamptz not null,
  seq bigint not null,
  bytes bytea not null,
  primary key (received_at, seq)
) partition by range (received_at);
create table tramita.answer_bytes (
  stored_at timestamptz not null,
  sha256 text not null,
  bytes bytea not null,
  primary key (stored_at, sha256)
) partition by range (stored_at);
-- For a clock that is wrong, and for months that nobody has made.
create table tramita.event_bytes_default partition of tramita.event_bytes default;
create table tramita.answer_bytes_default partition of tramita.answer_bytes default;
-- Null: in answer_bytes.
alter table tramita.answer_body alter column bytes drop not null;
grant insert on tramita.event_bytes to tramita_bridge;

create function tramita.month_of(at timestamptz) returns date language sql immutable
  return date_trunc('month', at at time zone 'UTC')::date;

-- Made apart and then attached: nobody who reads or writes the table has to wait. False where rows of that month are in the
-- default partition already: there they stay.
create function tramita.make_month(parent text, month date) returns boolean language plpgsql set lock_timeout = '1s' as $function$
declare
  name constant text := parent || to_char(month, '_YYYYMM');
begin
  if to_regclass(format('tramita.%I', name)) is not null then return true; end if;
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

-- Months that are over before that instant; returns how many were dropped.
create function tramita.drop_months(parent text, before timestamptz) returns integer language plpgsql set lock_timeout = '1s' as $function$
declare
  name text;
  dropped integer := 0;
begin
  for name in
    select child.relname from pg_inherits join pg_class child on child.oid = inhrelid
    where inhparent = format('tramita.%I', parent)::regclass and child.relname ~ '_[0-9]{6}$'
      and to_date(right(child.relname, 6), 'YYYYMM') + interval '1 month' <= before at time zone 'UTC'
    order by child.relname
  loop
    execute format('drop table tramita.%I', name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end
$function$;

select tramita.make_month(parent, (tramita.month_of(now()) + ahead * interval '1 month')::date)
from unnest(array['event_bytes', 'answer_bytes']) as parent, generate_series(0, 3) as ahead;

create or replace view tramita.event_feed as
  select seq, account, event_id, event, conflict, received_at, created_at, keys, body_sha256,
    tramita.event_payload(coalesce(body, (select bytes from tramita.event_bytes as stored
      where stored.received_at = event.received_at and stored.seq = event.seq))) as payload,
    coalesce(body, (select bytes from tramita.event_bytes as stored
      where stored.received_at = event.received_at and stored.seq = event.seq)) as body
  from tramita.event;
`,
  after: [
    // Events that still have something to drop: an older body, or keys.
    `create index concurrently if not exists event_kept on tramita.event (received_at)
      where body is not null or keys <> '{}'`,
    'drop index concurrently if exists tramita.event_bodies',
  ],
};
