/**
 * `tramita/testing`: a whole stack for the tests of a backend, and the auditor that compares a ledger with the service's charge
 * book. Importing it starts nothing and loads neither a worker nor a database: a stack runs in a process of its own. No
 * production program loads this.
 */
export { alteredOf } from './audit/altered.js';
export { auditBooks, auditCharges } from './audit/audit-books.js';
export { type AuditedRow, type Books, type Finding, type FindingKind } from './audit/books.js';
export { createTestStack } from './stack/create-test-stack.js';
export { startTestServers } from './stack/test-servers.js';
export type { NothingPaidTwice, TestSandbox, TestServerAddresses, TestServers } from './stack/types.js';
export type { ScriptedAnswer, TestStack, TestStackOptions } from './stack/types.js';
