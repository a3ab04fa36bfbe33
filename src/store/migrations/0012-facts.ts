/**
 * What the service reported about cases, normalised: columns for readers, and the whole record in `data`. An amount is an integer
 * of 1/10,000; days are civil days of São Paulo. Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

/** Columns that every kind of record has. */
const COMMON = `
  -- PUBLIC, PERSONAL, SENSITIVE or SEALED; never falls from SEALED.
  sensitivity text not null,
  data jsonb not null,
  data_hash text not null,
  first_seen_at timestamptz not null,
  changed_at timestamptz not null`;

export const factsMigration: Migration = {
  name: '0012-facts',
  sql: `
create table tramita.legal_case (
  account text not null,
  cnj text not null,
  -- The cover of one case, or its line in a list by CPF/CNPJ, which says less.
  origin text not null check (origin in ('cover', 'list')),
  court text,
  uf text,
  case_class text,
  subject text,
  judging_body text,
  status text,
  started_on date,
  last_movement_on date,
  movement_count bigint,
  value bigint,
  archived boolean,${COMMON},
  primary key (account, cnj, origin)
);

create table tramita.case_source (
  account text not null,
  cnj text not null,
  source_key text not null,
  name text,
  acronym text,
  kind text,
  degree text,
  system text,
  status text,
  sealed boolean,
  archived boolean,
  started_on date,
  last_movement_on date,${COMMON},
  primary key (account, cnj, source_key)
);

create table tramita.movement (
  account text not null,
  cnj text not null,
  -- The service gives none: a hash of what does not change.
  movement_key text not null,
  on_date date,
  kind text,
  category text,
  code text,
  source text,
  degree text,${COMMON},
  primary key (account, cnj, movement_key)
);
create index movement_by_day on tramita.movement (account, cnj, on_date desc);

create table tramita.case_summary (
  account text not null,
  cnj text not null,
  text text,
  state text,
  updated_at timestamptz,${COMMON},
  primary key (account, cnj)
);

create table tramita.publication (
  account text not null,
  -- Where it stands: the electoral gazette, the electoral board, the official gazettes of a lawyer.
  origin text not null check (origin in ('electoral gazette', 'electoral board', 'gazette')),
  publication_id text not null,
  cnj text,
  court text,
  published_on date,
  kind text,
  title text,${COMMON},
  primary key (account, origin, publication_id)
);
create index publication_by_case on tramita.publication (account, cnj) where cnj is not null;

create table tramita.precatorio (
  account text not null,
  -- PRECATORIO_BUDGET, PRECATORIO_PROCESS_INDEX, another word, or empty where none was told.
  mode text not null,
  precatorio_id text not null,
  number text,
  cnj text,
  court text,
  uf text,
  debtor text,
  budget_year integer,
  requested_value bigint,
  updated_value bigint,
  situation text,${COMMON},
  primary key (account, mode, precatorio_id)
);
create index precatorio_by_case on tramita.precatorio (account, cnj) where cnj is not null;

create table tramita.search_hit (
  account text not null,
  hit_key text not null,
  cnj text,
  kind text,
  title text,
  court text,
  published_on date,
  confidence text,${COMMON},
  primary key (account, hit_key)
);
create index search_hit_by_case on tramita.search_hit (account, cnj) where cnj is not null;

-- What readers could not map, by name and kind of trouble, never by content.
create table tramita.record_drift (
  account text not null,
  operation text not null,
  member text not null,
  problem text not null,
  count bigint not null,
  last_seen_at timestamptz not null,
  primary key (account, operation, member, problem)
);
`,
};
