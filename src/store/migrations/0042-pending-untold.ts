/**
 * An index of the few pending rows whose cost nothing has reported: once they are so old that no flow waits for them by itself,
 * a person decides (docs/decisions/0077).
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const pendingUntoldMigration: Migration = {
  name: '0042-pending-untold',
  sql: '',
  after: [
    `create index concurrently if not exists intent_pending_untold on tramita.intent (opened_at)
      where joined is null and state = 'pending' and reserved > 0 and coalesce(charged, 0) = 0`,
  ],
};
