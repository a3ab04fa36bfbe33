/**
 * Two indexes: for charges that evidence or a person has adopted, which can still be decided otherwise, and for waits that
 * expected a webhook, of which the newest ones of an account show whether its webhooks arrive.
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
