/** Files of documents: which one is on disk, and from which listing its link came. */
import type { Database } from '../store/index.js';
import type { Download, StoredDocument } from './types.js';

export async function saveDownload(db: Database, download: Download): Promise<void> {
  const file = {
    sha256: download.sha256,
    bytes: download.bytes,
    stored: download.stored,
    downloaded_at: new Date(download.downloadedAtMs),
    downloaded_intent_id: download.intentId,
  };
  await db
    .insertInto('tramita.public_document')
    .values({
      account: download.account,
      cnj: download.cnj,
      document_id: download.documentId,
      data: '{}',
      data_hash: '',
      listed_at: file.downloaded_at,
      ...file,
    })
    .onConflict((conflict) => conflict.columns(['account', 'cnj', 'document_id']).doUpdateSet(file))
    .execute();
}

export async function findDownload(
  db: Database,
  key: Pick<Download, 'account' | 'cnj' | 'documentId' | 'intentId'>,
): Promise<Pick<Download, 'sha256' | 'bytes' | 'stored'> | undefined> {
  const row = await db
    .selectFrom('tramita.public_document')
    .select(['sha256', 'bytes', 'stored'])
    .where('account', '=', key.account)
    .where('cnj', '=', key.cnj)
    .where('document_id', '=', key.documentId)
    .where('downloaded_intent_id', '=', key.intentId)
    .executeTakeFirst();
  if (row === undefined || row.sha256 === null || row.bytes === null || row.stored === null) return undefined;
  return { sha256: row.sha256, bytes: row.bytes, stored: row.stored };
}

export async function listDocuments(db: Database, account: string, cnj: string): Promise<readonly StoredDocument[]> {
  const rows = await db
    .selectFrom('tramita.public_document')
    .selectAll()
    .where('account', '=', account)
    .where('cnj', '=', cnj)
    .orderBy('document_id')
    .execute();
  return rows.map((row) => ({
    id: row.document_id,
    ...(row.title === null ? {} : { title: row.title }),
    ...(row.type === null ? {} : { type: row.type }),
    data: row.data,
    sha256: row.sha256,
    bytes: row.bytes,
    stored: row.stored,
    listedAtMs: row.listed_at,
    downloadedAtMs: row.downloaded_at,
  }));
}
