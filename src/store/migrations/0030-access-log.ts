/** Who looked at personal data, and why. Never what they saw. */
import type { Migration } from './migration.js';

export const accessLogMigration: Migration = {
  name: '0030-access-log',
  sql: `
create table tramita.access_log (
  seq bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- A person or a ticket as the command was told, or the name under which a token is known.
  by_whom text not null,
  -- The command or server through which they looked.
  via text not null,
  account text,
  namespace text,
  -- A keyed token of the person or case asked for; never the number itself.
  subject text,
  -- How many things were shown; null where that was not known beforehand.
  items integer,
  reason text
);
create index access_log_at on tramita.access_log (at);
`,
};
