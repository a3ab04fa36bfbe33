/** The service's wish to wait (429) that was told to a free call: it slows polls and other free reads, and no paid call. */
import type { Migration } from './migration.js';

export const freeThrottleMigration: Migration = {
  name: '0022-free-throttle',
  sql: 'alter table tramita.account_hold add column free_throttled_until timestamptz',
};
