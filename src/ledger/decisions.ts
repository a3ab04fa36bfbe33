/** Changes of a row that do not come from its own call: by a person, a doubt, evidence or the sweeper. */
import { present } from '../contract/index.js';
import { requestKey } from '../inbox/index.js';
import type { Database } from '../store/index.js';
import { decideCharge } from './decide-charge.js';
import { decideClosing, decideDoubt } from './decide-closing.js';
import { decisionRefused } from './errors.js';
import type { Decisions } from './ledger.js';
import type { Intent } from './intent.js';
import { moveIntent } from './move-intent.js';
import { findIntent, findRequested } from './read-intents.js';
import type { LedgerDependencies } from './settings.js';
import { sweep } from './sweep.js';

export function createDecisions({
  db,
  clock,
  catalogue,
}: Pick<LedgerDependencies, 'db' | 'clock' | 'catalogue'>): Decisions {
  return {
    decide: async ({ intentId, askedBy, ...decision }) => {
      const nowMs = clock();
      const { requestId } = decision;
      const extraNames = requestId === undefined ? [] : [requestKey(requestId)];
      const requestOf = requestId === undefined ? undefined : await callOfRequest(db, intentId, requestId);
      return moveIntent(db, { intentId, nowMs, extraNames, ...present({ askedBy }) }, (row) => {
        const byStatus =
          catalogue.has(row.operation) && catalogue.operationOf(row.operation).evidence === 'refresh status';
        const decided = decideCharge(row, decision, { nowMs, byStatus, ...present({ requestOf }) });
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

/** The newest call of the same account that has this request. */
async function callOfRequest(db: Database, intentId: string, requestId: string): Promise<Intent | undefined> {
  const account = (await findIntent(db, intentId))?.account;
  return account === undefined ? undefined : (await findRequested(db, account, requestId.toLowerCase()))?.intent;
}
