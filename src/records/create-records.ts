/** The records over one database. */
import type { Database } from '../store/index.js';
import { findDownload, listDocuments, saveDownload } from './downloads.js';
import { findRefresh, saveRefresh } from './refreshes.js';
import { saveDocuments } from './save-documents.js';
import type { Records } from './types.js';

export function createRecords({ db }: { readonly db: Database }): Records {
  return {
    saveDocuments: (page) => saveDocuments(db, page),
    saveDownload: (download) => saveDownload(db, download),
    findDownload: (account, cnj, documentId, intentId) => findDownload(db, { account, cnj, documentId, intentId }),
    listDocuments: (account, cnj) => listDocuments(db, account, cnj),
    saveRefresh: (refresh) => saveRefresh(db, refresh),
    findRefresh: (account, cnj) => findRefresh(db, account, cnj),
  };
}
