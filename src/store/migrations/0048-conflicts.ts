/** Webhooks that repeat an id with another body: few, so they are found without reading all. Never edited once released. */
import type { Migration } from './migration.js';

export const conflictsMigration: Migration = {
  name: '0048-conflicts',
  sql: '',
  after: ['create index concurrently if not exists event_conflicts on tramita.event (seq) where conflict'],
};
