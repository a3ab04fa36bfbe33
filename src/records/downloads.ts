/** Files of documents: which one is on disk, and from which listing its link came. */
import type { Database } from '../store/index.js';
import type { Records } from './types.js';

export function createDownloads(db: Database): Pick<Records, 'saveDownload' | 'findDownload' | 'listDocuments'> {
  return {
    async saveDownload({ account, cnj, documentId, intentId, sha256, bytes, stored, downloadedAtMs }) {
      const at = new Date(downloadedAtMs);
      const file = { sha256, bytes, stored, downloaded_at: at, downloaded_intent_id: intentId };
      await db
        .insertInto('tramita.public_document')
        .values({ account, cnj, document_id: documentId, data: '{}', data_hash: '', listed_at: at, ...file })
        .onConflict((conflict) => conflict.columns(['account', 'cnj', 'document_id']).doUpdateSet(file))
        .execute();
    },
    async findDownload(account, cnj, documentId, intentId) {
      const row = await db
        .selectFrom('tramita.public_document')
        .select(['sha256', 'bytes', 'stored'])
        .where('account', '=', account)
        .where('cnj', '=', cnj)
        .where('document_id', '=', documentId)
        .where('downloaded_intent_id', '=', intentId)
        .executeTakeFirst();
      if (row === undefined || row.sha256 === null || row.bytes === null || row.stored === null) return undefined;
      return { sha256: row.sha256, bytes: row.bytes, stored: row.stored };
    },
    async listDocuments(account, cnj) {
      const rows = await db
        .selectFrom('tramita.public_document')
        .selectAll()
        .where('account', '=', account)
        .where('cnj', '=', cnj)
        .orderBy('document_id')
        .execute();
      return rows.map(({ document_id: id, title, type, data, sha256, bytes, stored, listed_at, downloaded_at }) => ({
        id,
        ...(title === null ? {} : { title }),
        ...(type === null ? {} : { type }),
        ...{ data, sha256, bytes, stored },
        listedAtMs: listed_at,
        downloadedAtMs: downloaded_at,
      }));
    },
  };
}
