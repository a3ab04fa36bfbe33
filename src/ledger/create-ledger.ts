/** The ledger over one database: fills in subject and time, and leaves each statement or decision to its own file. */
import {
  ZERO_AMOUNT,
  expectedPrice,
  isCharged,
  type Amount,
  type Catalogue,
  type Gaps,
  present,
} from '../contract/index.js';
import type { Database } from '../store/index.js';
import { closeStep } from './close-step.js';
import { chargedSince, closeByEvidence, noteBalance, openingBalance, quietState } from './evidence.js';
import { createLifeMemory, type LifeMemory } from './life/life-memory.js';
import { readLife } from './life/read-life.js';
import { restoreRow, toLostCall } from './life/restore-row.js';
import { doubtPending } from './doubt-pending.js';
import { openIntent } from './open-intent.js';
import {
  answerOf,
  findIntent,
  intentsAbout,
  requestedIntent,
  lastBalance,
  listConflicts,
  listIntents,
  markRunningSeen,
  spentOf,
} from './read-intents.js';
import { recordDecision } from './record-decision.js';
import { settleIntent } from './settle-intent.js';
import { subjectOf, type Token } from './subject.js';
import { sweep } from './sweep.js';
import type { CallOfFlow, Ledger, LedgerSettings } from './types.js';
import { createUnexpectedCharges } from './unexpected-charges.js';
import { claimProbe, holdOf, releaseHold, throttleAccount } from './write-hold.js';

export interface LedgerDependencies {
  readonly db: Database;
  readonly token: Token;
  readonly settings: LedgerSettings;
  /** Built-in and configured operations. */
  readonly catalogue: Catalogue;
  readonly gaps: Gaps;
  /** Epoch ms. */
  readonly clock: () => number;
  /** What this process knows of the database's life; default: nothing, so only the database itself can tell a change. */
  readonly memory?: LifeMemory;
}

export function createLedger({
  db,
  token,
  settings,
  clock,
  catalogue,
  gaps,
  memory = createLifeMemory(),
}: LedgerDependencies): Ledger {
  const terms = { token, catalogue, gaps };
  /** Subject and expected price of a call whose row is written from what its flow knows. */
  const accountOf = (call: CallOfFlow): { readonly subject: string; readonly reserved: Amount } => {
    const operation = catalogue.operationOf(call.operation);
    const isFree = !isCharged(operation, call.params);
    return {
      subject: subjectOf(terms, call),
      reserved: isFree ? ZERO_AMOUNT : expectedPrice(settings.prices, operation, null),
    };
  };
  return {
    openIntent(request) {
      const operation = catalogue.operationOf(request.operation);
      const free = !isCharged(operation, request.params);
      const context = { db, settings, operation, free, memory, nowMs: clock() };
      return openIntent({ ...context, subject: subjectOf(terms, request) }, request);
    },
    settle: (intentId, settlement, askedBy) =>
      settleIntent(db, { intentId, settlement, askedBy, settings, catalogue, nowMs: clock() }),
    closeStep: (attempt) => closeStep(db, { ...attempt, ...accountOf(attempt), memory, nowMs: clock() }),
    restoreFromFlow: ({ requestId, witness = 'flow', ...call }) =>
      restoreRow(db, { call: { ...toLostCall(call), ...accountOf(call) }, witness, requestId }, clock()),
    restore: (lost) => restoreRow(db, lost, clock()),
    life: () => readLife(db, memory.witness()),
    decide: (decision) => recordDecision(db, { ...decision, nowMs: clock(), catalogue }),
    doubt: (request) => doubtPending(db, { ...request, nowMs: clock() }),
    sweep: (olderThanMs, slow) => sweep(db, { olderThanMs, ...present({ slow }), nowMs: clock() }),
    markRunningSeen: (intentId) => markRunningSeen(db, intentId),
    find: (intentId) => findIntent(db, intentId),
    answerOf: (intentId) => answerOf(db, intentId),
    requested: (account, requestId) => requestedIntent(db, account, requestId),
    about: (call) => intentsAbout(db, { ...call, subject: subjectOf(terms, call) }),
    list: (filter) => listIntents(db, filter),
    listConflicts: () => listConflicts(db),
    spentOf: (run) => spentOf(db, run),
    quiet: (account, except) => quietState(db, account, except),
    openingBalance: (account, before) => openingBalance(db, account, before),
    noteBalance: (account, reading) => noteBalance(db, account, { ...reading, nowMs: clock() }),
    chargedSince: (account, range) => chargedSince(db, account, range),
    closeByEvidence: (intentId, closing) => closeByEvidence(db, intentId, { ...closing, nowMs: clock() }),
    ...createUnexpectedCharges(db, clock),
    lastBalance: (account) => lastBalance(db, account),
    holdOf: (account, { free }) => holdOf(db, { account, free, memory, nowMs: clock() }),
    claimProbe: (account) => claimProbe(db, { account, nowMs: clock() }),
    releaseHold: (account) => releaseHold(db, account),
    throttle: (account, untilMs) => throttleAccount(db, { account, untilMs, nowMs: clock() }),
  };
}
