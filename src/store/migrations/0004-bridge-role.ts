/**
 * The narrow role of the bridge: it may record events, read waiters, write and mark wakes, and nothing else. It reads
 * no answer, no ledger row, no record, and not even the body of an event once it is written. Roles belong to the whole cluster, so
 * another database may have made it already. Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const bridgeRoleMigration: Migration = {
  name: '0004-bridge-role',
  sql: `
do $$
begin
  if not exists (select from pg_roles where rolname = 'tramita_bridge') then
    create role tramita_bridge nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise exception 'tramita: this user may not create the role tramita_bridge; create it once as an administrator (create role tramita_bridge login) and migrate again';
end
$$;
grant usage on schema tramita to tramita_bridge;
grant select on tramita.migration to tramita_bridge;
grant insert on tramita.event to tramita_bridge;
grant select (seq, account, event_key, event_id, event, body_sha256, conflict, received_at) on tramita.event to tramita_bridge;
grant select, delete on tramita.waiter to tramita_bridge;
grant select, insert on tramita.event_wake to tramita_bridge;
grant update (woken_at) on tramita.event_wake to tramita_bridge;
`,
};
