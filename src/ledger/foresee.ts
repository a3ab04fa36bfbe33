/**
 * Predicts what would happen to a charged call if a new run asked for it now, with the same look-up and decisions as {@link
 * openIntent}, but without locks and without a row. It promises nothing: another run may be faster.
 */
import { statedPrice, ZERO_AMOUNT, type Amount } from '../contract/index.js';
import { callToOpen } from './call-to-open.js';
import { termsOf, type CallTerms } from './call-terms.js';
import { decideOpening, type Opening } from './decide-opening.js';
import { selectFigures } from './insert-intent.js';
import { buildLookUp, readLookUp, type SharedFigures } from './look-up.js';
import type { OpenIntent } from './opening-request.js';
import type { LedgerContext } from './settings.js';

/** A call that no run has asked for yet. */
export type CallAhead = Pick<
  OpenIntent,
  | 'account'
  | 'operation'
  | 'params'
  | 'body'
  | 'flags'
  | 'workflowType'
  | 'step'
  | 'once'
  | 'maxAgeMs'
  | 'notBeforeMs'
  | 'sentNotBeforeMs'
>;

export interface Foreseen extends CallTerms {
  readonly opening: Opening;
  /** The call costs nothing by the catalogue, and the account was never charged for such a call. */
  readonly free: boolean;
  /** Price according to the configuration or the interface. */
  readonly stated: Amount | undefined;
  /** Highest charge of this operation on the account. */
  readonly highestCharge: Amount | null;
}

export interface Foresight {
  foresee(call: CallAhead): Promise<Foreseen>;
  /** The sums that an account's caps and floor, and a shared budget, are compared with. */
  figuresOf(counted: { readonly account: string; readonly budgetKey: string | null }): Promise<SharedFigures>;
}

/** No run has these ids, so every row is another run's. */
const NO_RUN = { workflowId: '', firstRunId: '', ordinal: 1, attempt: 1, attemptToken: '' };

export function createForesight(context: LedgerContext): Foresight {
  const { db, settings, clock } = context;
  return {
    async foresee(ahead) {
      const call = callToOpen(context, { ...ahead, ...NO_RUN, waiterKeys: [], webhookExpected: false });
      const { request, operation, free, subject } = call;
      const { rows } = await buildLookUp({ ...call.look, wanted: { flow: false, price: true } }).execute(db);
      const found = readLookUp(rows);
      // If only first pages are charged, the known charges are those of first pages.
      const wasCharged = operation.charge !== 'first page' && found.highestCharge !== null;
      const costsNothing = free && !wasCharged;
      return {
        opening: decideOpening(request, { subject, free }, found),
        free: costsNothing,
        ...termsOf(context, call, found),
        stated: costsNothing ? ZERO_AMOUNT : statedPrice(settings.prices, operation),
        highestCharge: found.highestCharge,
      };
    },
    async figuresOf(counted) {
      const all = { dayAtMost: 0, sharedAtMost: counted.budgetKey === null ? null : 0, freeAtLeast: 0 };
      const { rows } = await selectFigures(counted, clock(), all).execute(db);
      return rows[0] as SharedFigures;
    },
  };
}
