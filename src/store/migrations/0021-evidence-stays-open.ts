/**
 * Charges that evidence or a person has adopted stay decidable: an index finds them. And waits that expected a webhook: the
 * newest ones of an account tell whether its webhooks come.
 */
import type { Migration } from './migration.js';

export const evidenceStaysOpenMigration: Migration = {
  name: '0021-evidence-stays-open',
  sql: `
create index intent_adopted on tramita.intent (opened_at) where state = 'pending' and joined is null
  and (evidence ? 'adopted' or evidence ->> 'decision' = 'charged' or evidence ->> 'proof' = 'balance');
create index intent_expected on tramita.intent (account, settled_at desc) where webhook_expected and joined is null;
`,
};
