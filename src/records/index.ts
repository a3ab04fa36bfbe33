/**
 * Door of the records: what the service told about cases, normalised for readers of the database. Raw answers are the
 * ledger's, files on disk are the download's; signed links are kept by nobody.
 */
export {
  createPortfolios,
  onceOf,
  type ItemChange,
  type ItemState,
  type PortfolioItem,
  type Portfolios,
  type RoundCounts,
  type RoundOrder,
  type StoredList,
} from './portfolios/index.js';
export { createRecords } from './create-records.js';
export type { CaseRefresh, DocumentsPage, Download, ListedDocument, Records, StoredDocument } from './types.js';
