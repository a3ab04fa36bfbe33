/**
 * The bridge may read the ids of the payload keys that workers have started with: it reports if no worker could read what it
 * writes. Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const bridgeKeysMigration: Migration = {
  name: '0045-bridge-keys',
  sql: 'grant select (subject, account) on tramita.fingerprint to tramita_bridge',
};
