/** What the ledger reserves for a call that is to be sent, and why the call would wait unsent. Pure. */
import { ZERO_AMOUNT, expectedPrice, type Amount, type Operation } from '../contract/index.js';
import { decideHold, type AccountHold } from './account-hold.js';
import { holdOfLife } from './life/decide-life.js';
import type { LookUp } from './look-up.js';
import type { LedgerContext } from './settings.js';

export interface CallTerms {
  readonly reserved: Amount;
  readonly hold: AccountHold | undefined;
}

export function termsOf(
  { settings, memory }: Pick<LedgerContext, 'settings' | 'memory'>,
  { operation, free, nowMs }: { readonly operation: Operation<string>; readonly free: boolean; readonly nowMs: number },
  lookUp: Pick<LookUp, 'life' | 'hold' | 'highestCharge'>,
): CallTerms {
  const lifeHold = free ? undefined : holdOfLife(lookUp.life, memory.epoch(), nowMs);
  return {
    reserved: free ? ZERO_AMOUNT : expectedPrice(settings.prices, operation, lookUp.highestCharge),
    hold: lifeHold ?? decideHold(lookUp.hold, { free, nowMs }),
  };
}
