/** Fingerprints of the id key and the services that this database was written with. Never edited once released. */
import type { Migration } from './migration.js';

export const fingerprintsMigration: Migration = {
  name: '0020-fingerprints',
  sql: `
create table tramita.fingerprint (
  subject text not null check (subject in ('id key', 'base url', 'api key')),
  -- Empty for the id key, which is everybody's.
  account text not null,
  -- Keyed: what it stands for cannot be had from it.
  value text not null,
  since timestamptz not null,
  -- Who changed it on purpose; null where a worker wrote it.
  set_by text,
  primary key (subject, account)
);
`,
};
