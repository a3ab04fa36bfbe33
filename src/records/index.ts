/**
 * Door of the records: what the service said about cases, normalised for readers of the database. Raw answers belong to the
 * ledger, files to the room `files`; signed links are never stored.
 */
export {
  createPortfolios,
  onceOf,
  type CaseActivity,
  type ItemState,
  type PortfolioItem,
  type Portfolios,
} from './portfolios/index.js';
export {
  createMonitors,
  type KeptMonitor,
  type KnownMonitor,
  type MonitorKind,
  type Monitors,
} from './monitors/index.js';
export { createLawyerCollections, type LawyerCollections } from './lawyers/index.js';
export { createNotices, type Notices } from './notices/index.js';
export { createCollections, type Collections } from './collections.js';
export { createFacts, type Facts, type AnswerFacts } from './facts/index.js';
export type { FactRow, FactTable } from './facts/save-rows.js';
export {
  CASES,
  HITS,
  MOVEMENTS,
  PRECATORIOS,
  PUBLICATIONS,
  SOURCES,
  SUMMARIES,
  caseRow,
  electoralRow,
  gazetteRow,
  hitRow,
  movementRows,
  precatorioRow,
  sourceRows,
  summaryRow,
} from './facts/tables.js';
export { countOldRecords, dropRecords } from './drop-records.js';
export { createRecords } from './create-records.js';
export { storableJson } from './storable.js';
export { withoutLinks } from './without-links.js';
export type { CaseRefresh, DocumentFile, Records } from './types.js';
