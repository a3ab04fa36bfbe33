/** Evidence: quiet balances of exclusive accounts, listings that were read before a monitor was requested. Never edited once released. */
import type { Migration } from './migration.js';

export const evidenceMigration: Migration = {
  name: '0007-evidence',
  sql: `
create table tramita.balance_reading (
  account text not null,
  -- Sequence of the account's newest ledger row when nothing moved around the reading.
  seq bigint not null,
  amount bigint not null,
  taken_at timestamptz not null,
  primary key (account, seq)
);

-- Ids that a listing had before the step was sent: what is new afterwards, and as asked, is ours.
create table tramita.listing_snapshot (
  workflow_id text not null,
  first_run_id text not null,
  step text not null,
  ids jsonb not null,
  complete boolean not null,
  taken_at timestamptz not null,
  primary key (workflow_id, first_run_id, step)
);

create index intent_unexpected on tramita.intent (account, operation) where step like 'free/%';
`,
};
