/**
 * What belongs to a sealed case is sealed everywhere: its documents too, and its events in the view of consumers
 * (docs/decisions/0048). Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const sealedEverywhereMigration: Migration = {
  name: '0034-sealed-everywhere',
  sql: `
create index sealed_case_cnj on tramita.sealed_case (cnj);
alter table tramita.public_document add column sensitivity text not null default 'PERSONAL';

create or replace view tramita.lawyer_case_feed as
  select collection.account, collection.oab, item.cnj, item.classification, item.court, item.last_publication_on,
    case when exists (
      select from tramita.sealed_case as sealed
      where sealed.account = collection.account and sealed.cnj = item.cnj) then 'SEALED' else item.sensitivity end as sensitivity,
    item.data, collection.version, (collection.current is null) as provisional
  from tramita.lawyer_collection collection
  join tramita.lawyer_case item on item.set_id = coalesce(collection.current, collection.provisional);

create or replace view tramita.event_feed as
  select seq, account, event_id, event, conflict, received_at, created_at, keys, body_sha256,
    tramita.event_payload(coalesce(body, (select bytes from tramita.event_bytes as stored
      where stored.received_at = event.received_at and stored.seq = event.seq))) as payload,
    coalesce(body, (select bytes from tramita.event_bytes as stored
      where stored.received_at = event.received_at and stored.seq = event.seq)) as body,
    exists (select from unnest(event.keys) as key join tramita.sealed_case as sealed
      on sealed.account = event.account and sealed.cnj = substr(key, 5) where key like 'cnj:%') as sealed
  from tramita.event;
`,
  after: [
    `update tramita.public_document as document set sensitivity = 'SEALED'
      where sensitivity <> 'SEALED' and exists (
        select from tramita.sealed_case as sealed where sealed.account = document.account and sealed.cnj = document.cnj)`,
  ],
};
