/** The service's request to wait (429) in answer to a free call: it slows polls and other free reads, but no paid call. */
import type { Migration } from './migration.js';

export const freeThrottleMigration: Migration = {
  name: '0022-free-throttle',
  sql: 'alter table tramita.account_hold add column free_throttled_until timestamptz',
};
