/**
 * Door of the ledger: the row that is written before a charged call is sent, what became of it, and the rules that keep
 * anything from being paid for twice (own step, `once`, joining equal calls, caps). It sends nothing, knows neither HTTP
 * nor Temporal, and leaves the classification of answers to the activities.
 */
export type { ChainReport, Drift } from './balance-chain.js';
export {
  AGE_BUCKETS,
  checkLedger,
  countUndecided,
  unknownIntents,
  type AccountCheck,
  type AgeBucket,
  type CheckRequest,
  type UndecidedCount,
} from './check-ledger.js';
export { isIntentMissing } from './change-intent.js';
export { createLedger, type LedgerDependencies } from './create-ledger.js';
export { decideMissingRow, type MissingRow, type MissingRowMeans } from './decide-missing-row.js';
export { createJournal, type Journal, type JournalState } from './journal/journal.js';
export type { JournalEntry } from './journal/journal-entry.js';
export { decideLife, type LedgerLife, type LifeVerdict } from './life/decide-life.js';
export { areFinal, createLifeKeeper, type BroughtBack, type LifeKeeper } from './life/life-keeper.js';
export { createLifeMemory, type LifeMemory } from './life/life-memory.js';
export { readLife } from './life/read-life.js';
export type { LostRow, Witness } from './life/restore-row.js';
export {
  beginLife,
  dismissJournal,
  holdLedger,
  listJournals,
  releaseLedger,
  type JournalRow,
} from './life/write-life.js';
export { exportIntents, type ExportFilter } from './export-intents.js';
export { toLedgerRow, type LedgerRow } from './ledger-row.js';
export { ledgerParams } from './ledger-params.js';
export { listUndecided, type UndecidedFilter, type UndecidedState } from './list-undecided.js';
export { isDecisionRefused } from './record-decision.js';
export { readFigures, type HoldFigure, type LedgerFigures, type MoneyFigure } from './read-figures.js';
export { settleFromSpool, type SpoolSettlement } from './settle-from-spool.js';
export { createSpool, type Spool, type SpoolRead } from './spool.js';
export type { SettlementFacts } from './spool-file.js';
export { isAdopted, isProvenPaid } from './states.js';
export type { CallTerms, Token } from './subject.js';
export type {
  AccountHold,
  AmountSource,
  BalanceReading,
  Intent,
  IntentState,
  IntentVerdict,
  Ledger,
  LedgerFilter,
  LedgerSettings,
  ClosedStep,
  LostAttempt,
  OpenIntent,
  QuietState,
  UnexpectedCharge,
  EvidenceClosing,
  RunSpent,
  Settled,
  Settlement,
  SettlementConflict,
} from './types.js';
