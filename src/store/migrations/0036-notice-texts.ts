/**
 * An index of notices by publication: writing a full text into the notices that name it read the whole table.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const noticeTextsMigration: Migration = {
  name: '0036-notice-texts',
  sql: 'select',
  after: [
    `create index concurrently if not exists notice_publication on tramita.notice (account, publication_id)
      where publication_id is not null`,
  ],
};
