/** Records: public documents of cases, finished refreshes. Never edited once released: add a new migration. */
import type { Migration } from './migration.js';

export const recordsMigration: Migration = {
  name: '0003-records',
  sql: `
create table tramita.public_document (
  account text not null,
  cnj text not null,
  document_id text not null,
  title text,
  type text,
  data jsonb not null,
  data_hash text not null,
  listed_at timestamptz not null,
  sha256 text,
  bytes bigint,
  stored text,
  downloaded_at timestamptz,
  downloaded_intent_id uuid,
  primary key (account, cnj, document_id)
);

create table tramita.case_refresh (
  account text not null,
  cnj text not null,
  state text not null check (state in ('done', 'empty', 'failed')),
  raw_status text,
  with_documents boolean not null,
  intent_id uuid not null,
  finished_at timestamptz not null,
  primary key (account, cnj)
);
`,
};
