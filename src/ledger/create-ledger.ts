/** The ledger over one database: fills in subject and time, and leaves each statement or decision to its own file. */
import type { Database } from '../store/index.js';
import { closeStep } from './close-step.js';
import { openIntent } from './open-intent.js';
import {
  answerOf,
  findIntent,
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

export interface LedgerDependencies {
  readonly db: Database;
  readonly token: Token;
  readonly settings: LedgerSettings;
  /** Epoch ms. */
  readonly clock: () => number;
}

export function createLedger({ db, token, settings, clock }: LedgerDependencies): Ledger {
  return {
    openIntent(request) {
      const subject = subjectOf(token, request.operation, request.params);
      return openIntent({ db, settings, subject, nowMs: clock() }, request);
    },
    settle: (intentId, settlement, askedBy) => settleIntent(db, { intentId, settlement, askedBy, nowMs: clock() }),
    closeStep({ params, ...step }) {
      return closeStep(db, { ...step, subject: subjectOf(token, step.operation, params), nowMs: clock() });
    },
    decide: (decision) => recordDecision(db, { ...decision, nowMs: clock() }),
    sweep: (olderThanMs) => sweep(db, { olderThanMs, nowMs: clock() }),
    markRunningSeen: (intentId) => markRunningSeen(db, intentId),
    find: (intentId) => findIntent(db, intentId),
    answerOf: (intentId) => answerOf(db, intentId),
    list: (filter) => listIntents(db, filter),
    listConflicts: () => listConflicts(db),
    spentOf: (run) => spentOf(db, run),
    lastBalance: (account) => lastBalance(db, account),
  };
}
