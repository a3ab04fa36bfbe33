/**
 * How far the ledger had no later row of an account when its balance was read: the rows of other accounts up to there are not
 * searched for one again. Null in readings of earlier versions.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const clearReadingsMigration: Migration = {
  name: '0046-clear-readings',
  sql: 'alter table tramita.balance_reading add column clear_to bigint',
};
