/** A case in a lawyer's list is shown as sealed if its own record is sealed. Never edited once released. */
import type { Migration } from './migration.js';

export const sealedListsMigration: Migration = {
  name: '0017-sealed-lists',
  sql: `
create or replace view tramita.lawyer_case_feed as
  select collection.account, collection.oab, item.cnj, item.classification, item.court, item.last_publication_on,
    case when exists (
      select from tramita.legal_case sealed
      where sealed.account = collection.account and sealed.cnj = item.cnj and sealed.sensitivity = 'SEALED')
      then 'SEALED' else item.sensitivity end as sensitivity,
    item.data, collection.version, (collection.current is null) as provisional
  from tramita.lawyer_collection collection
  join tramita.lawyer_case item on item.set_id = coalesce(collection.current, collection.provisional);
`,
};
