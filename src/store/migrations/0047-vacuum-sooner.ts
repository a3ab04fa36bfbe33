/**
 * Tables of millions of rows of which each changes soon after it came, and leaves the small indexes of what is not done yet: a call
 * is settled, a wake delivered, a case of a round refreshed. By default the server cleans a table and its indexes when a fifth of
 * its rows are dead, two million of ten million calls, most of them in those small indexes; and as late it learns in which pages
 * the newest calls were settled (`intent_settled_at`). Tables that change in all parts alike keep the default, because each
 * cleaning reads their indexes whole. Months of bodies and of the archive do too: their rows hardly change.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

const TABLES = ['intent', 'event_wake', 'portfolio_item'];

export const vacuumSoonerMigration: Migration = {
  name: '0047-vacuum-sooner',
  sql: '',
  // Waits for a vacuum of the table; meanwhile everybody reads and writes it.
  after: TABLES.map(
    (table) =>
      `alter table tramita.${table} set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  ),
};
