/**
 * Events for consumers: a view of a stable shape, reading with a cursor that skips nothing, and a role that may only do
 * that. Bodies may be dropped; indexes for retention and for the report of missed webhooks. Never edited once released.
 */
import type { Migration } from './migration.js';

export const eventFeedMigration: Migration = {
  name: '0005-event-feed',
  sql: `
-- Null: dropped after the configured time. The row itself stays for ever: it recognises duplicates.
alter table tramita.event alter column body drop not null;
create index event_bodies on tramita.event (received_at) where body is not null;

drop index tramita.event_wake_flow;
create index event_wake_flow on tramita.event_wake (workflow_id);
create index event_wake_woken on tramita.event_wake (woken_at) where woken_at is not null;
create index intent_announced on tramita.intent (settled_at) where webhook_expected;

-- Null where the body is no JSON that PostgreSQL can hold.
create function tramita.event_payload(body bytea) returns jsonb language plpgsql immutable strict as $function$
begin
  return convert_from(body, 'UTF8')::jsonb;
exception when others then
  return null;
end
$function$;

create view tramita.event_feed as
  select seq, account, event_id, event, conflict, received_at, created_at, keys, body_sha256,
    tramita.event_payload(body) as payload, body
  from tramita.event;

-- Sequence numbers are drawn before their transaction commits, so "seq > cursor" could step over one that commits late.
-- Recorders hold this lock shared, from before a number is drawn until after it can be seen; whoever has it exclusively sees
-- no number missing that could still come. The inner block is a savepoint: rolling it back gives the lock back at once,
-- whatever the caller's transaction does afterwards.
create function tramita.event_horizon() returns bigint language plpgsql volatile as $function$
declare
  horizon bigint;
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception 'tramita: events are read at isolation level read committed; this transaction has an older snapshot and could step over one';
  end if;
  if pg_is_in_recovery() then
    raise exception 'tramita: events are read on the primary server; a standby does not see who is recording';
  end if;
  begin
    perform pg_advisory_xact_lock(-5360614411318911599);
    select coalesce(max(seq), 0) into horizon from tramita.event_feed;
    raise exception using errcode = 'TRM01', message = 'never seen';
  exception when sqlstate 'TRM01' then
    null;
  end;
  return horizon;
end
$function$;

create function tramita.read_events(after bigint, most integer default 1000)
returns setof tramita.event_feed language plpgsql volatile as $function$
declare
  horizon bigint := tramita.event_horizon();
begin
  return query select * from tramita.event_feed feed
    where feed.seq > after and feed.seq <= horizon order by feed.seq limit most;
end
$function$;

revoke execute on function tramita.event_horizon(), tramita.read_events(bigint, integer) from public;

-- Optional: where this user may not create roles, the administrator grants the same to a role of his own (docs/webhooks.md).
do $$
begin
  if not exists (select from pg_roles where rolname = 'tramita_reader') then
    create role tramita_reader nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise notice 'tramita: this user may not create the role tramita_reader; consumers need grants of their own';
end
$$;
do $$
begin
  if exists (select from pg_roles where rolname = 'tramita_reader') then
    grant usage on schema tramita to tramita_reader;
    grant select on tramita.event_feed to tramita_reader;
    grant execute on function tramita.event_horizon(), tramita.read_events(bigint, integer) to tramita_reader;
  end if;
end
$$;
`,
};
