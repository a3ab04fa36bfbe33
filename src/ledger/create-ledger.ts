/** The ledger over one database: fills in subject and time, and leaves each statement or decision to its own file. */
import { isCharged, type Catalogue, type Gaps } from '../contract/index.js';
import type { Database } from '../store/index.js';
import { closeStep } from './close-step.js';
import { chargedSince, closeByEvidence, noteBalance, openingBalance, quietState } from './evidence.js';
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
import type { Ledger, LedgerSettings } from './types.js';
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
}

export function createLedger({ db, token, settings, clock, catalogue, gaps }: LedgerDependencies): Ledger {
  const terms = { token, catalogue, gaps };
  return {
    openIntent(request) {
      const operation = catalogue.operationOf(request.operation);
      const free = !isCharged(operation, request.params);
      return openIntent({ db, settings, subject: subjectOf(terms, request), operation, free, nowMs: clock() }, request);
    },
    settle: (intentId, settlement, askedBy) =>
      settleIntent(db, { intentId, settlement, askedBy, settings, nowMs: clock() }),
    closeStep({ params, body, ...step }) {
      const { operation } = step;
      const subject = subjectOf(terms, { operation, params, ...(body === undefined ? {} : { body }) });
      return closeStep(db, { ...step, subject, nowMs: clock() });
    },
    decide: (decision) => recordDecision(db, { ...decision, nowMs: clock(), catalogue }),
    doubt: (request) => doubtPending(db, { ...request, nowMs: clock() }),
    sweep: (olderThanMs, slow) => sweep(db, { olderThanMs, ...(slow === undefined ? {} : { slow }), nowMs: clock() }),
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
    holdOf: (account, { free }) => holdOf(db, { account, free, nowMs: clock() }),
    claimProbe: (account) => claimProbe(db, { account, nowMs: clock() }),
    releaseHold: (account) => releaseHold(db, account),
    throttle: (account, untilMs) => throttleAccount(db, { account, untilMs, nowMs: clock() }),
  };
}
