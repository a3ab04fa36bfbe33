/** Lawyers' collections of cases: sets of rows, and the pointer that says which set readers see. Never edited once released. */
import type { Migration } from './migration.js';

export const lawyersMigration: Migration = {
  name: '0013-lawyers',
  sql: `
-- Readers see the set that \`current\` names: an import moves the pointer and nothing else, so nobody sees a mix.
create table tramita.lawyer_collection (
  account text not null,
  oab text not null,
  current uuid,
  -- The service's own version of the set: cobertura.atualizadoEm, as sent.
  version text,
  cases integer,
  committed_at timestamptz,
  -- Rows of a coverage that is still growing; shown only where no whole set is.
  provisional uuid,
  provisional_at timestamptz,
  primary key (account, oab)
);

create table tramita.lawyer_case (
  set_id uuid not null,
  -- The case number; the hash of the record where it has none.
  row_key text not null,
  cnj text,
  classification text,
  court text,
  last_publication_on date,
  sensitivity text not null,
  data jsonb not null,
  data_hash text not null,
  primary key (set_id, row_key)
);

-- Pages that a set was read from: a page that comes again is a loop.
create table tramita.lawyer_page (
  set_id uuid not null,
  target_hash text not null,
  page integer not null,
  fingerprint text not null,
  primary key (set_id, target_hash)
);

-- What readers of the database use. A stranger's consumer needs no other table.
create view tramita.lawyer_case_feed as
  select collection.account, collection.oab, item.cnj, item.classification, item.court, item.last_publication_on,
    item.sensitivity, item.data, collection.version, (collection.current is null) as provisional
  from tramita.lawyer_collection collection
  join tramita.lawyer_case item on item.set_id = coalesce(collection.current, collection.provisional);
`,
};
