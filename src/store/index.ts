/**
 * Door of the store: the connection to PostgreSQL, transactions with advisory locks, migrations, typed tables. It knows
 * how to speak to the database and nothing of what is kept there: the rooms ledger, inbox and records own their tables.
 */
export { addressOf, connect, ping, type ConnectOptions, type Database } from './connect.js';
export { databaseAddress } from './database-address.js';
export { awayProblem, isDatabaseAway, isLockNotFree } from './database-away.js';
export { endTurn, shareFinding, takeTurn } from './duty.js';
export {
  findMismatches,
  forgetPayloadKey,
  keepFingerprints,
  moveBaseUrl,
  readFingerprintNames,
  readFingerprints,
  type Fingerprint,
} from './fingerprints.js';
export { clockProblem, readClock } from './clock-problem.js';
export { CLOCK_EVERY_MS, createDatabaseClock, type DatabaseClock } from './database-clock.js';
export { BATCH, inBatches } from './in-batches.js';
export { lockNumber, lockNumbers } from './lock-number.js';
export { migrate } from './migrate.js';
export { dropEmptyMonths, dropMonths, makeMonths, makeMonthsOf } from './months.js';
export { ownerProblem } from './owner-problem.js';
export { BRIDGE_ROLE, CODEC_ROLE } from './role-login.js';
export { rowsInPages } from './rows-in-pages.js';
export { databaseProblem, schemaProblem, schemaProblemAtStart } from './schema-problem.js';
export { SEES_COMMITTED, civilDay, instant } from './sql-parts.js';
export type { IntentTable } from './tables.js';
export {
  LOCKS_TAKEN,
  inOneMessage,
  lockAndWrite,
  lookAndWrite,
  lookOften,
  takeLocks,
  tryLocks,
  withLocks,
  withOpening,
  writeTogether,
  type Ending,
  type Writable,
} from './transaction.js';
export { unsafeServerProblem, unsafeSettings } from './unsafe-server.js';
