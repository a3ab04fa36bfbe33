/** How a charge became known: from the answer (`told`), the interface's price list (`listed`), or evidence. Never edited once released. */
import type { Migration } from './migration.js';

export const amountSourceMigration: Migration = {
  name: '0019-amount-source',
  sql: `
alter table tramita.intent add column amount_source text check (amount_source in ('told', 'listed', 'evidence'));
-- Rows that are left at null and have a charge of their own were told it.
update tramita.intent set amount_source = 'evidence'
  where joined is null and charged is not null and evidence ->> 'proof' = 'balance';
`,
};
