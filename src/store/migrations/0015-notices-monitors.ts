/** Notices with their watermarks, and the monitors that somebody asked for. Never edited once released. */
import type { Migration } from './migration.js';

export const noticesMonitorsMigration: Migration = {
  name: '0015-notices-monitors',
  sql: `
create table tramita.notice (
  account text not null,
  -- The service's id; the hash of the record where it has none.
  notice_id text not null,
  oab text,
  cnj text,
  made_available_on date,
  published_on date,
  deadline_starts_on date,
  publication_id text,
  active boolean,
  sensitivity text not null,
  data jsonb not null,
  data_hash text not null,
  full_text jsonb,
  full_text_at timestamptz,
  first_seen_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (account, notice_id)
);
create index notice_by_case on tramita.notice (account, cnj) where cnj is not null;
create index notice_without_text on tramita.notice (account, oab) where full_text is null and publication_id is not null;

-- Civil day of São Paulo up to which the notices of a registration have been read.
create table tramita.notice_watermark (
  account text not null,
  oab text not null,
  read_until date not null,
  read_at timestamptz not null,
  primary key (account, oab)
);

-- Monitors that this installation asked for. What bills at the service and is not here is an orphan.
create table tramita.monitor (
  account text not null,
  kind text not null check (kind in ('notices', 'radar', 'case', 'administrative')),
  monitor_id text not null,
  reference text,
  active boolean not null,
  status text,
  intent_id uuid,
  data jsonb not null,
  asked_at timestamptz not null,
  changed_at timestamptz not null,
  primary key (account, kind, monitor_id)
);
`,
};
