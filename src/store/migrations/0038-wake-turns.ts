/**
 * A wake that could not be delivered goes behind those that were not tried yet, so that it does not hold them up.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const wakeTurnsMigration: Migration = {
  name: '0038-wake-turns',
  sql: `
-- When the relay last tried in vain.
alter table tramita.event_wake add column tried_at timestamptz;
grant update (tried_at) on tramita.event_wake to tramita_bridge;
`,
  after: [
    `create index concurrently if not exists event_wake_turn on tramita.event_wake (tried_at nulls first, created_at)
      where woken_at is null`,
  ],
};
