/** The records over one database. */
import type { Database } from '../store/index.js';
import { createDownloads } from './downloads.js';
import { createRefreshes } from './refreshes.js';
import { saveDocuments } from './save-documents.js';
import type { Records } from './types.js';

export function createRecords({ db }: { readonly db: Database }): Records {
  return { saveDocuments: (page) => saveDocuments(db, page), ...createDownloads(db), ...createRefreshes(db) };
}
