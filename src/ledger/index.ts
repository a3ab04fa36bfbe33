/**
 * Door of the ledger: the row that is written before a charged call is sent, what became of it, and the rules that keep
 * anything from being paid for twice (own step, `once`, joining equal calls, caps). It sends nothing, knows neither HTTP
 * nor Temporal, and leaves the classification of answers to the activities.
 */
export type { AccountHold } from './account-hold.js';
export { archiveIntents } from './archive.js';
export type { Drift } from './balance-chain.js';
export type { GoneFiles } from './lost-files.js';
export { AGE_BUCKETS, checkLedger, unknownIntents, type AccountCheck } from './check-ledger.js';
export { isDecisionRefused, isIntentMissing } from './errors.js';
export { forgetAnswerFile, isAnswerDropped, takeAnswersAway } from './answer-dropped.js';
export { dropAnswerFiles, dropAnswers } from './drop-answers.js';
export { dropReadings } from './drop-readings.js';
export { ARCHIVE_LOCK } from './lock-names.js';
export { createLedger } from './create-ledger.js';
export { decideBudget, limitsOf, NO_LIMITS, type Limits, type OverBudget } from './decide-budget.js';
export type { NewReading, QuietState } from './evidence.js';
export type { Foreseen } from './foresee.js';
export { exportIntents, type ExportFilter } from './export-intents.js';
export type { AmountSource, Intent, IntentState } from './intent.js';
export type { KnownRow } from './intent-row.js';
export type { IntentVerdict } from './intent-verdict.js';
export { createJournal, type Journal } from './journal/journal.js';
export type { JournalEntry } from './journal/journal-entry.js';
export type { Ledger, SettledBy } from './ledger.js';
export { ledgerParams } from './ledger-params.js';
export { toLedgerRow, type LedgerRow } from './ledger-row.js';
export { decideLife } from './life/decide-life.js';
export { createLifeMemory, type LifeMemory } from './life/life-memory.js';
export { readLife } from './life/read-life.js';
export {
  beginLife,
  dismissJournal,
  journalsNamed,
  listJournals,
  releaseLedger,
  unheard,
  type JournalRow,
} from './life/write-life.js';
export { areFinal } from './life/lost-calls.js';
export { createLifeKeeper, type LifeKeeper } from './life-keeper.js';
export { listUndecided, MOST_UNDECIDED, type UndecidedFilter, type UndecidedState } from './list-undecided.js';
export type { LostAttempt } from './lost-attempt.js';
export type { OpenIntent } from './opening-request.js';
export type { SharedFigures } from './look-up.js';
export type { PollLook } from './poll-look.js';
export { readFigures, type LedgerFigures, type MoneyFigure } from './read-figures.js';
export { readReport, type LedgerReport, type SavedBy } from './read-report.js';
export { settleSpooled } from './spool/settle-spooled.js';
export type { Settled, Settlement } from './settlement.js';
export type { LedgerSettings } from './settings.js';
export { spentByRun, type RunSpent } from './spent-by-run.js';
export { createSpool, type Spool } from './spool/spool.js';
export { chargedOf } from './states.js';
export { hasKnownCharge, isAdopted, isOverdue, isProvenPaid, isUndecided } from './undecided.js';
