/**
 * The narrow role of the codec server: it may write lines of the access log, and read only the names of the migrations.
 * Roles belong to the whole cluster, so another database may have made it already.
 */
import type { Migration } from './migration.js';

export const codecRoleMigration: Migration = {
  name: '0031-codec-role',
  sql: `
do $$
begin
  if not exists (select from pg_roles where rolname = 'tramita_codec') then
    create role tramita_codec nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise exception 'tramita: this user may not create the role tramita_codec; create it once as an administrator (create role tramita_codec login) and migrate again';
end
$$;
grant usage on schema tramita to tramita_codec;
grant select on tramita.migration to tramita_codec;
grant insert on tramita.access_log to tramita_codec;
`,
};
