/** Why an account's calls wait unsent, for all worker processes to see: an outage of the service, or its request to wait (429). */
import type { Migration } from './migration.js';

export const accountHoldMigration: Migration = {
  name: '0010-account-hold',
  sql: `
create table tramita.account_hold (
  account text primary key,
  -- Charged calls in a row that ended in 5xx or without an answer; any other answer makes it 0.
  failures integer not null default 0 check (failures >= 0),
  -- Held since; null while calls may be sent.
  outage_since timestamptz,
  -- Last free look whether the service is back.
  probed_at timestamptz,
  throttled_until timestamptz
);

-- What \`ledger check\` and the metrics look for, without reading the whole ledger.
create index intent_undecided on tramita.intent (opened_at) where state in ('unknown', 'charged_lost') and joined is null;
`,
};
