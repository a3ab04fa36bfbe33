/**
 * The registrations that a notice was requested for, if it names none of them itself: its text is bought if all of them are
 * requested. Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const noticesAskedForMigration: Migration = {
  name: '0040-notices-asked-for',
  sql: 'alter table tramita.notice add column asked_for text[]',
  after: [
    `create index concurrently if not exists notice_asked_for on tramita.notice (account)
      where asked_for is not null and full_text is null and publication_id is not null`,
  ],
};
