/** The erasure log: whose data must be erased, by token, and which workers' journals have done so. Never edited once released. */
import type { Migration } from './migration.js';

export const erasureMigration: Migration = {
  name: '0032-erasure',
  sql: `
create table tramita.erasure (
  erasure_id uuid primary key default gen_random_uuid(),
  -- cnj, cpf, cnpj or oab; the number itself is not kept.
  kind text not null,
  -- Keyed token of the number. The same number has the same token.
  token text not null,
  by_whom text not null,
  reason text not null,
  begun_at timestamptz not null default clock_timestamp(),
  -- What was changed or deleted here, by place.
  counts jsonb not null default '{}',
  -- Names and cases that the places without the number are searched for; emptied when the erasure is complete.
  learned jsonb,
  -- The database, the file store and Temporal are done; workers may still have to clean their disks.
  swept_at timestamptz,
  done_at timestamptz
);
-- One at a time about the same number.
create unique index erasure_open on tramita.erasure (kind, token) where done_at is null;
create index erasure_token on tramita.erasure (kind, token);

create table tramita.erasure_journal (
  erasure_id uuid not null references tramita.erasure (erasure_id),
  journal_id uuid not null,
  done_at timestamptz not null default clock_timestamp(),
  primary key (erasure_id, journal_id)
);
`,
};
