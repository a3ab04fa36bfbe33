/**
 * What would become of a charged call if a new run asked for it now: the same look and the same decisions as
 * {@link openIntent}, without its locks and without a row. It tells what a start would cost, and promises nothing: another
 * run may be faster.
 */
import { expectedPrice, isCharged, statedPrice, ZERO_AMOUNT, type Amount } from '../contract/index.js';
import { decideHold, type AccountHold } from './account-hold.js';
import { decideOpening, type Opening } from './decide-opening.js';
import { holdOfLife } from './life/decide-life.js';
import { selectFigures } from './insert-intent.js';
import { buildLookUp, readLookUp, type SharedFigures } from './look-up.js';
import type { OpenIntent } from './opening-request.js';
import type { LedgerContext } from './settings.js';
import { subjectToken } from './subject.js';

/** A call that no run has asked for yet. */
export type CallAhead = Pick<
  OpenIntent,
  'account' | 'operation' | 'params' | 'body' | 'flags' | 'workflowType' | 'step' | 'once' | 'maxAgeMs' | 'notBeforeMs'
>;

export interface Foreseen {
  readonly opening: Opening;
  /** The call costs nothing by the catalogue. */
  readonly free: boolean;
  /** What the ledger would hold for it while its charge is unknown. */
  readonly reserved: Amount;
  /** What configuration or the interface says that it costs. */
  readonly stated: Amount | undefined;
  /** The most that this operation was charged on the account. */
  readonly highestCharge: Amount | null;
  /** Why a call that may be sent would wait unsent. */
  readonly hold: AccountHold | undefined;
}

export interface Foresight {
  foresee(call: CallAhead): Promise<Foreseen>;
  /** Sums that caps and floor of an account, and a shared budget, are compared with. */
  figuresOf(counted: { readonly account: string; readonly budgetKey: string | null }): Promise<SharedFigures>;
}

/** No run has these ids, so every row is another run's. */
const NO_RUN = { workflowId: '', firstRunId: '', ordinal: 1, attempt: 1, attemptToken: '' };

export function createForesight(context: LedgerContext): Foresight {
  const { db, settings, catalogue, memory, clock } = context;
  return {
    async foresee(call) {
      const operation = catalogue.operationOf(call.operation);
      const free = !isCharged(operation, call.params);
      const request: OpenIntent = { ...call, ...NO_RUN, waiterKeys: [], webhookExpected: false };
      const subject = subjectToken(context, request);
      const nowMs = clock();
      const wanted = { flow: false, price: !free };
      const { rows } = await buildLookUp({ request, subject, nowMs, wanted, witness: memory.witness() }).execute(db);
      const found = readLookUp(rows);
      const lost = free ? undefined : holdOfLife(found.life, memory.epoch(), nowMs);
      return {
        opening: decideOpening(request, { subject, free }, found),
        free,
        reserved: free ? ZERO_AMOUNT : expectedPrice(settings.prices, operation, found.highestCharge),
        stated: free ? ZERO_AMOUNT : statedPrice(settings.prices, operation),
        highestCharge: found.highestCharge,
        hold: lost ?? decideHold(found.hold, { free, nowMs }),
      };
    },
    async figuresOf(counted) {
      const all = { dayAtMost: 0, sharedAtMost: counted.budgetKey === null ? null : 0, freeAtLeast: 0 };
      const { rows } = await selectFigures(counted, clock(), all).execute(db);
      return rows[0] as SharedFigures;
    },
  };
}
