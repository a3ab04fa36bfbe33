/** Collections that are read page by page. Never edited once released: add a new migration. */
import type { Migration } from './migration.js';

export const collectionsMigration: Migration = {
  name: '0011-collections',
  sql: `
create table tramita.collection (
  account text not null,
  -- Keyed token of operation and arguments: it tells nothing about a person.
  collection_key text not null,
  operation text not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  pages integer,
  items integer,
  complete boolean,
  primary key (account, collection_key)
);

create index intent_by_request on tramita.intent (request_id) where request_id is not null;
`,
};
