/** Budgets that flows share: all refreshes of a portfolio count against one cap. */
import type { Migration } from './migration.js';

export const sharedBudgetMigration: Migration = {
  name: '0009-shared-budget',
  sql: `
alter table tramita.intent add column budget_key text;
create index intent_budget on tramita.intent (budget_key) where budget_key is not null;
`,
};
