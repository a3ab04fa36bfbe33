/** The ledger over one database: fills in subject, price and time, and leaves each statement or decision to its own file. */
import { ZERO_AMOUNT, isCharged, type Amount } from '../contract/index.js';
import { closeStep } from './close-step.js';
import { expectedPrice } from './decide-budget.js';
import { createDecisions } from './decisions.js';
import { createEvidence } from './evidence.js';
import type { Ledger } from './ledger.js';
import { createLifeMemory } from './life/life-memory.js';
import { readLife } from './life/read-life.js';
import type { CallOfFlow } from './lost-attempt.js';
import { openIntent } from './open-intent.js';
import { createReads } from './read-intents.js';
import { restoreRow, toLostCall } from './restore-row.js';
import { settleIntent } from './settle-intent.js';
import type { LedgerDependencies } from './settings.js';
import { subjectToken } from './subject.js';
import { createUnexpectedCharges } from './unexpected-charges.js';
import { createHolds } from './write-hold.js';

export function createLedger({ memory = createLifeMemory(), ...given }: LedgerDependencies): Ledger {
  const context = { ...given, memory };
  const { db, settings, clock, catalogue } = given;
  /** Subject and expected price of a call whose row is written from what its flow knows. */
  const accountOf = (call: CallOfFlow): { readonly subject: string; readonly reserved: Amount } => {
    const operation = catalogue.operationOf(call.operation);
    return {
      subject: subjectToken(given, call),
      reserved: isCharged(operation, call.params) ? expectedPrice(settings, operation, null) : ZERO_AMOUNT,
    };
  };
  return {
    openIntent: (request) => {
      const operation = catalogue.operationOf(request.operation);
      const free = !isCharged(operation, request.params);
      const subject = subjectToken(given, request);
      return openIntent({ db, settings, operation, free, subject, memory, nowMs: clock() }, request);
    },
    settle: (intentId, settlement, askedBy) =>
      settleIntent(db, { intentId, settlement, askedBy, settings, catalogue, nowMs: clock() }),
    closeStep: (attempt) => closeStep(db, { ...attempt, ...accountOf(attempt), memory, nowMs: clock() }),
    restoreFromFlow: ({ requestId, witness = 'flow', ...call }) =>
      restoreRow(db, { call: { ...toLostCall(call), ...accountOf(call) }, witness, requestId }, clock()),
    restore: (lost) => restoreRow(db, lost, clock()),
    life: () => readLife(db, memory.witness()),
    ...createDecisions(context),
    ...createReads(context),
    ...createEvidence(context),
    ...createUnexpectedCharges(context),
    ...createHolds(context),
  };
}
