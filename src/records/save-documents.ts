/**
 * Stores a page of documents with one statement and one JSON parameter (measured: 13 times faster than row by row). A row is
 * touched only if its hash differs or it was listed more than a week ago, so listing the same page again writes nothing.
 */
import { sql } from 'kysely';
import { decideSensitivity } from '../contract/index.js';
import { instant, writeTogether, type Database } from '../store/index.js';
import { isOlder, notChangedAfter, notSeenLately, unlessOlder } from './last-seen.js';
import type { DocumentsPage, ListedDocument } from './types.js';
import { rowsByKey } from './rows-by-key.js';
import { IS_NEWS, NEVER_LESS_SEALED, SEALS, sealedOr } from './sealed-by-case.js';
import { contentHash, storable, storableJson } from './storable.js';
import { withoutLinks } from './without-links.js';

/** A file was downloaded before its document was listed (downloads.ts): any page completes the record. */
const IS_UNLISTED = sql`kept.data_hash = ''`;
/** An older page that seals the record changes nothing else of it. */
const CONTENT = sql.raw(
  unlessOlder(
    ['title', 'type', 'data', 'data_hash'],
    `kept.data_hash <> '' and ${isOlder('kept.listed_at', 'excluded.listed_at')}`,
  ),
);

export async function saveDocuments(db: Database, page: DocumentsPage): Promise<number> {
  const rows = rowsByKey(page.documents.map(buildRow), (row) => row.document_id);
  if (rows.length === 0) return 0;
  const save = sql`
    insert into tramita.public_document as kept (account, cnj, document_id, title, type, sensitivity, data, data_hash, listed_at)
    select ${page.account}, ${page.cnj}, document_id, title, type,
      ${sealedOr(sql`sensitivity`, { account: page.account, cnj: sql`${page.cnj}` })}, data, data_hash, ${instant(page.listedAtMs)}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as page (document_id text, title text, type text, sensitivity text, data jsonb, data_hash text)
    on conflict (account, cnj, document_id) do update
      set ${CONTENT}, sensitivity = ${NEVER_LESS_SEALED},
        listed_at = greatest(kept.listed_at, excluded.listed_at)
      where (${IS_NEWS} and (${IS_UNLISTED} or ${notChangedAfter(page.listedAtMs, sql`kept.listed_at`)} or ${SEALS}))
        or ${notSeenLately(page.listedAtMs, sql`kept.listed_at`)}`;
  const [touched = 0] = await writeTogether(db, [save]);
  return touched;
}

function buildRow({ id, title, type, data }: ListedDocument) {
  const content = { title: storable(title), type: storable(type), data: storableJson(withoutLinks(data ?? {})) };
  const sensitivity = decideSensitivity(data, 'PERSONAL');
  return { document_id: storable(id) ?? '', ...content, sensitivity, data_hash: contentHash(content) };
}
