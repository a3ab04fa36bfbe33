/**
 * An index of the rows of an account by their order. The newest row of an account that has been quiet for long was looked for
 * among the rows of all accounts since then.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const quietAccountsMigration: Migration = {
  name: '0046-quiet-accounts',
  sql: '',
  after: ['create index concurrently if not exists intent_order_of on tramita.intent (account, seq)'],
};
