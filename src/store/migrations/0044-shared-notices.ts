/**
 * All registrations of a notice that was received for several; `oab` has the latest one. Never edited once released: add a new
 * migration.
 */
import type { Migration } from './migration.js';

export const sharedNoticesMigration: Migration = {
  name: '0044-shared-notices',
  sql: 'alter table tramita.notice add column oabs text[]',
  after: [
    'create index concurrently if not exists notice_shared on tramita.notice using gin (oabs) where oabs is not null',
  ],
};
