/**
 * Door of the auditor: the ledger beside the service's charge book, for tests and soaks. It takes plain rows, so it needs no
 * database, no Temporal and no sandbox. Not loaded by any program.
 */
export { auditBooks, auditCharges } from './audit-books.js';
export { type AuditedRow, type Books, type Finding, type FindingKind } from './books.js';
