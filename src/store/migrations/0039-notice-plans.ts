/**
 * The days by which a sync of notices with `once` was first planned: its next start asks for the same. Never edited once
 * released: add a new migration.
 */
import type { Migration } from './migration.js';

export const noticePlansMigration: Migration = {
  name: '0039-notice-plans',
  sql: `
create table tramita.notice_plan (
  account text not null,
  once text not null,
  -- Civil day of São Paulo.
  planned_on date not null,
  -- Watermarks on that day in the order of the sorted registrations, which are not named; null where one was never read.
  read_until jsonb not null,
  primary key (account, once)
);
`,
};
