/** The ledger over one database. Each statement and each decision has its own file. */
import { isIntentMissing } from './errors.js';
import { closeStep } from './close-step.js';
import { bookBalance } from './book-balance.js';
import { createDecisions } from './decisions.js';
import { createEvidence } from './evidence.js';
import { createForesight } from './foresee.js';
import type { JournalEntry } from './journal/journal-entry.js';
import type { Ledger, SettledBy } from './ledger.js';
import { createLifeMemory } from './life/life-memory.js';
import { readLife } from './life/read-life.js';
import { openIntent } from './open-intent.js';
import { lookForPoll } from './poll-look.js';
import { createReads } from './read-intents.js';
import { restoreRow, saysSomethingOf, toLostCall } from './restore-row.js';
import { settleIntent } from './settle-intent.js';
import type { LedgerContext, LedgerDependencies } from './settings.js';
import type { Settled, Settlement } from './settlement.js';
import { subjectAndPrice } from './subject.js';
import { createUnexpectedCharges } from './unexpected-charges.js';
import { createHolds } from './write-hold.js';

export function createLedger({ memory = createLifeMemory(), ...dependencies }: LedgerDependencies): Ledger {
  const context: LedgerContext = { ...dependencies, memory, highestCharges: new Map() };
  const { db, clock } = context;
  const unexpected = createUnexpectedCharges(context);
  const settleLost = async (call: JournalEntry, settlement: Settlement, by?: SettledBy): Promise<Settled> => {
    const intent = await restoreRow(db, { call, witness: 'journal' }, clock());
    if (!saysSomethingOf(intent, call, settlement)) return { intent, applied: true, eventSeen: false, wakes: [] };
    return settleIntent(context, intent.intentId, settlement, { source: 'call', ...by });
  };
  return {
    openIntent: (request) => openIntent(context, request),
    settle: async (intentId, settlement, by) => {
      try {
        return await settleIntent(context, intentId, settlement, by);
      } catch (error) {
        const call = isIntentMissing(error) ? await by?.callIfLost?.() : undefined;
        if (call === undefined) throw error;
        return settleLost(call, settlement, by);
      }
    },
    settleLost,
    closeStep: (attempt) => closeStep(context, attempt),
    restore: (lost) => restoreRow(db, lost, clock()),
    restoreFromFlow: ({ requestId, witness = 'flow', ...call }) =>
      restoreRow(db, { call: { ...toLostCall(call), ...subjectAndPrice(context, call) }, witness, requestId }, clock()),
    life: () => readLife(db, memory.witness()),
    ...createDecisions(context),
    ...createReads(context),
    ...createForesight(context),
    ...createEvidence(context),
    ...unexpected,
    bookBalance: (balance) => bookBalance(db, balance),
    lookForPoll: (request) => lookForPoll(context, request),
    ...createHolds(context),
  };
}
