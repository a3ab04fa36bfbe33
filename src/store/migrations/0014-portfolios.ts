/** Portfolios: stored lists of cases, rounds over them, and where each case of a round stands. */
import type { Migration } from './migration.js';

export const portfoliosMigration: Migration = {
  name: '0014-portfolios',
  sql: `
create table tramita.portfolio_case (
  account text not null,
  list text not null,
  position bigint not null,
  cnj text not null,
  primary key (account, list, cnj)
);

-- A round keeps its own copy of the list: who changes the list changes the next round.
create table tramita.portfolio_round (
  round text primary key,
  account text not null,
  list text not null,
  started_at timestamptz not null
);

create table tramita.portfolio_item (
  round text not null references tramita.portfolio_round,
  position bigint not null,
  cnj text not null,
  state text not null check (state in ('waiting', 'started', 'done', 'failed', 'parked', 'skipped')),
  workflow_id text,
  run_id text,
  reason text,
  changed_at timestamptz not null,
  primary key (round, cnj)
);
create index portfolio_item_open on tramita.portfolio_item (round, position) where state in ('waiting', 'started');
`,
};
