/** Ledger: intents, stored answers, late answers that contradict. Never edited once released: add a new migration. */
import type { Migration } from './migration.js';

export const ledgerMigration: Migration = {
  name: '0001-ledger',
  sql: `
create table tramita.answer_body (
  sha256 text primary key,
  bytes bytea not null,
  content_type text,
  stored_at timestamptz not null
);

create table tramita.intent (
  seq bigint generated always as identity,
  intent_id uuid primary key,
  account text not null,
  workflow_id text not null,
  first_run_id text not null,
  workflow_type text not null,
  step text not null,
  ordinal integer not null check (ordinal > 0),
  once text,
  operation text not null,
  subject text not null,
  flags text[] not null,
  state text not null check (state in
    ('open', 'pending', 'done', 'rejected', 'not_sent', 'charged_lost', 'unknown', 'closed')),
  joined uuid references tramita.intent (intent_id),
  attempt_token text,
  reserved bigint not null check (reserved >= 0),
  charged bigint,
  balance_after bigint,
  balance_at timestamptz,
  request_id text,
  meta_request_id text,
  search_log_id text,
  http_status integer,
  error_code text,
  reason text,
  body_sha256 text references tramita.answer_body (sha256),
  final_state text,
  raw_status text,
  running_seen boolean not null default false,
  service_opened_at timestamptz,
  webhook_expected boolean not null,
  opened_at timestamptz not null,
  settled_at timestamptz,
  evidence jsonb,
  waiter_keys text[] not null,
  locks bigint[] not null,
  constraint intent_step unique (workflow_id, first_run_id, step, ordinal),
  constraint joined_row_costs_nothing check (joined is null or (reserved = 0 and charged = 0))
);
create index intent_seq on tramita.intent (seq);
create index intent_live on tramita.intent (account, operation, subject)
  where state in ('open', 'pending', 'unknown') and joined is null;
create index intent_done on tramita.intent (account, operation, subject, settled_at desc)
  where state = 'done' and joined is null;
create index intent_once on tramita.intent (account, workflow_type, once, step) where once is not null;
create index intent_open on tramita.intent (opened_at) where state = 'open';
create index intent_held on tramita.intent (account) where reserved > 0;
create index intent_day on tramita.intent (account, opened_at);
create index intent_price on tramita.intent (account, operation, charged desc) where charged > 0;
create index intent_balance on tramita.intent (account, balance_at desc) where balance_after is not null;
create index intent_joined on tramita.intent (joined) where joined is not null;

create table tramita.settlement_conflict (
  seq bigint generated always as identity primary key,
  intent_id uuid not null references tramita.intent (intent_id),
  settlement jsonb not null,
  body_sha256 text references tramita.answer_body (sha256),
  found_at timestamptz not null
);
create index settlement_conflict_intent on tramita.settlement_conflict (intent_id);
`,
};
