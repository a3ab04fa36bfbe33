/**
 * How an import of a lawyer's cases ended, by its `once` or its run: a repeated start returns the same and buys nothing.
 * Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const importEndsMigration: Migration = {
  name: '0041-import-ends',
  sql: `
create table tramita.import_end (
  account text not null,
  once text not null,
  ended_at timestamptz not null,
  -- Version and counts of the list; the registration is not named.
  result jsonb not null,
  primary key (account, once)
);
`,
};
