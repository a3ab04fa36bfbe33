/**
 * Door of the ledger: the row that is written before a charged call is sent, what became of it, and the rules that keep
 * anything from being paid for twice (own step, `once`, joining equal calls, caps). It sends nothing, knows neither HTTP
 * nor Temporal, and leaves the classification of answers to the activities.
 */
export type { AccountHold } from './account-hold.js';
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
export { createLedger } from './create-ledger.js';
export { decideMissingRow, type MissingRow, type MissingRowMeans } from './decide-missing-row.js';
export { isDecisionRefused } from './decisions.js';
export type { AccountEvidence, BalanceReading, QuietState } from './evidence.js';
export { exportIntents, type ExportFilter } from './export-intents.js';
export type { AmountSource, Intent, IntentState } from './intent.js';
export type { IntentVerdict } from './intent-verdict.js';
export { createJournal, type Journal, type JournalState } from './journal/journal.js';
export type { JournalEntry } from './journal/journal-entry.js';
export type { ChargedCalls, Decisions, EvidenceClosing, Ledger, LostRows } from './ledger.js';
export { ledgerParams } from './ledger-params.js';
export { toLedgerRow, type LedgerRow } from './ledger-row.js';
export { decideLife, type LedgerLife, type LifeVerdict } from './life/decide-life.js';
export { createLifeMemory, type LifeMemory } from './life/life-memory.js';
export { readLife } from './life/read-life.js';
export {
  beginLife,
  dismissJournal,
  holdLedger,
  listJournals,
  releaseLedger,
  type JournalRow,
} from './life/write-life.js';
export { areFinal, createLifeKeeper, type BroughtBack, type LifeKeeper } from './life-keeper.js';
export { listUndecided, type UndecidedFilter, type UndecidedState } from './list-undecided.js';
export type { ClosedStep, LostAttempt } from './lost-attempt.js';
export type { OpenIntent } from './opening-request.js';
export { readFigures, type HoldFigure, type LedgerFigures, type MoneyFigure } from './read-figures.js';
export type { IntentReads } from './read-intents.js';
export type { LostRow, Witness } from './restore-row.js';
export { settleSpooled, type SpoolSettlement } from './settle-spooled.js';
export type { Settled, Settlement } from './settlement.js';
export type { LedgerSettings } from './settings.js';
export { createSpool, type Spool, type SpoolRead } from './spool.js';
export type { SettlementFacts } from './spool-file.js';
export type { CallTerms, Token } from './subject.js';
export { isAdopted, isProvenPaid } from './undecided.js';
export type { UnexpectedCharge, UnexpectedCharges } from './unexpected-charges.js';
export type { AccountHolds } from './write-hold.js';
