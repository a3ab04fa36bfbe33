/**
 * When a record was last received, to the week. Retention went by the last change, and dropped records that came every week unchanged.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

const TABLES = 'legal_case case_source movement case_summary publication precatorio search_hit notice'.split(' ');

export const lastSeenMigration: Migration = {
  name: '0043-last-seen',
  sql: TABLES.map((table) => `alter table tramita.${table} add column last_seen_at timestamptz;`).join('\n'),
  after: TABLES.flatMap((table) => [
    `create index concurrently if not exists ${table}_last_seen on tramita.${table} (greatest(last_seen_at, changed_at))`,
    `drop index concurrently if exists tramita.${table}_age`,
  ]),
};
