/** Changes of a row that do not come from its own call: by a person, a doubt, evidence or the sweeper. */
import { present } from '../contract/index.js';
import { decideCharge } from './decide-charge.js';
import { decideClosing, decideDoubt } from './decide-closing.js';
import { decisionRefused } from './errors.js';
import type { Decisions } from './ledger.js';
import { moveIntent } from './move-intent.js';
import type { LedgerDependencies } from './settings.js';
import { sweep } from './sweep.js';

export function createDecisions({
  db,
  clock,
  catalogue,
}: Pick<LedgerDependencies, 'db' | 'clock' | 'catalogue'>): Decisions {
  return {
    decide: ({ intentId, askedBy, ...decision }) => {
      const nowMs = clock();
      const requestId = decision.requestId?.toLowerCase();
      return moveIntent(db, { intentId, nowMs, ...present({ askedBy, requestId }) }, (row, requestOf) => {
        const byStatus =
          catalogue.has(row.operation) && catalogue.operationOf(row.operation).evidence === 'refresh status';
        const decided = decideCharge(row, decision, { nowMs, byStatus, requestOf });
        if (decided.kind === 'refused') throw decisionRefused(decided.problem);
        return decided.kind === 'changed' ? decided.intent : undefined;
      });
    },
    doubt: ({ doubt, ...by }) => {
      const nowMs = clock();
      return moveIntent(db, { ...by, nowMs }, (row) => decideDoubt(row, doubt, nowMs));
    },
    closeByEvidence: (intentId, closing) => {
      const nowMs = clock();
      return moveIntent(db, { intentId, nowMs }, (row) => decideClosing(row, closing, nowMs));
    },
    sweep: (olderThanMs, slow) => sweep(db, { olderThanMs, slow, nowMs: clock() }),
  };
}
