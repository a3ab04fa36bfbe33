/**
 * The Temporal namespace in which a flow waits, so that a bridge of another namespace does not take the flow for ended. Workers
 * write their own; statements that insert waiters need not know it, and the bridge's role gets no further right.
 */
import type { Migration } from './migration.js';

export const flowNamespaceMigration: Migration = {
  name: '0022-flow-namespace',
  sql: `
create table tramita.flow_namespace (
  namespace text primary key,
  seen_at timestamptz not null
);
create function tramita.flow_namespace() returns text language sql stable
  return (select namespace from tramita.flow_namespace order by seen_at desc limit 1);
alter table tramita.waiter add column namespace text default tramita.flow_namespace();
`,
};
