/** Inbox: events, which flow waits for which key, which flow must be woken. Never edited once released: add a new migration. */
import type { Migration } from './migration.js';

export const inboxMigration: Migration = {
  name: '0002-inbox',
  sql: `
create table tramita.event (
  seq bigint generated always as identity unique,
  account text not null,
  event_key text not null,
  event_id text not null,
  event text not null,
  body bytea not null,
  body_sha256 text not null,
  conflict boolean not null,
  keys text[] not null,
  created_at text,
  delivery_id text,
  received_at timestamptz not null,
  primary key (account, event_key)
);
create index event_keys on tramita.event using gin (keys);

create table tramita.waiter (
  workflow_id text not null,
  key text not null,
  intent_id uuid not null,
  expires_at timestamptz not null,
  primary key (workflow_id, key, intent_id)
);
create index waiter_key on tramita.waiter (key);
create index waiter_intent on tramita.waiter (intent_id);
create index waiter_expiry on tramita.waiter (expires_at);

create table tramita.event_wake (
  event_key text not null,
  workflow_id text not null,
  created_at timestamptz not null,
  woken_at timestamptz,
  primary key (event_key, workflow_id)
);
create index event_wake_due on tramita.event_wake (created_at) where woken_at is null;
create index event_wake_flow on tramita.event_wake (workflow_id) where woken_at is null;
`,
};
