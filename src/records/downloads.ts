/** Files of documents: which one is on disk, and from which listing its link came. */
import { sql } from 'kysely';
import type { Database } from '../store/index.js';
import { sealedOr } from './sealed-by-case.js';
import type { DocumentFile, Records } from './types.js';

export function createDownloads(db: Database): Pick<Records, 'saveDownload' | 'findDownload' | 'listFiles'> {
  return {
    async saveDownload({ account, cnj, documentId, intentId, sha256, bytes, stored, downloadedAtMs }) {
      const at = new Date(downloadedAtMs);
      const file = { sha256, bytes, stored, downloaded_at: at, downloaded_intent_id: intentId, file_dropped_at: null };
      await db
        .insertInto('tramita.public_document')
        .values({
          account,
          cnj,
          document_id: documentId,
          data: '{}',
          data_hash: '',
          listed_at: at,
          ...file,
          sensitivity: sealedOr(sql`'PERSONAL'`, { account, cnj: sql`${cnj}` }),
        })
        .onConflict((conflict) => conflict.columns(['account', 'cnj', 'document_id']).doUpdateSet(file))
        .execute();
    },
    async findDownload(account, cnj, documentId, intentId) {
      const row = await db
        .selectFrom('tramita.public_document')
        .select(['sha256', 'bytes', 'stored', 'downloaded_at'])
        .where('account', '=', account)
        .where('cnj', '=', cnj)
        .where('document_id', '=', documentId)
        .where('downloaded_intent_id', '=', intentId)
        .executeTakeFirst();
      if (row === undefined || row.sha256 === null || row.bytes === null || row.stored === null) return undefined;
      const { sha256, bytes, stored, downloaded_at: at } = row;
      return { sha256, bytes, stored, downloadedAtMs: at ?? 0 };
    },
    async listFiles({ account, after, limit }) {
      const { rows } = await sql<DocumentFile>`
        select cnj, document_id as id, stored from tramita.public_document
        where account = ${account} and stored is not null
          and (cnj, document_id) > (${after?.cnj ?? ''}, ${after?.id ?? ''})
        order by cnj, document_id limit ${limit}`.execute(db);
      return rows;
    },
  };
}
