/**
 * What two quiet readings of an exclusive account's balance say about the one unknown charge between them. Pure (design 10).
 * Quiet: no other intent was open, unknown or pending around the reading. The opening reading may be old: what was charged
 * since then is known row by row, or nothing is decided.
 */
import type { Amount, Operation } from '../../contract/index.js';

export interface BalanceFacts {
  readonly opening: Amount;
  readonly now: Amount;
  /** Sum of what the rows in between were charged; null when one of them did not tell. */
  readonly chargedBetween: Amount | null;
  /** What the unknown call is expected to cost. */
  readonly expected: Amount;
  /** Monitors bill by themselves: then only the expected price is believed. */
  readonly recurring: boolean;
}

export type BalanceVerdict =
  | { readonly says: 'not charged' }
  | { readonly says: 'charged'; readonly amount: Amount }
  | { readonly says: 'nothing'; readonly because: string };

export function decideBalance(facts: BalanceFacts): BalanceVerdict {
  const { opening, now, chargedBetween, expected, recurring } = facts;
  if (chargedBetween === null) return { says: 'nothing', because: 'another charge since then has not told its amount' };
  const residual = opening - chargedBetween - now;
  if (residual === 0) return { says: 'not charged' };
  if (residual < 0) return { says: 'nothing', because: 'the balance has grown (a top-up or a refund)' };
  if (recurring && residual !== expected) {
    return { says: 'nothing', because: 'a monitor may have been billed meanwhile' };
  }
  return { says: 'charged', amount: residual as Amount };
}

/** Whether the balance can tell at all: a service that debits at the end of the work shows nothing of a call under way. */
export function balanceMayTell(
  account: { readonly exclusive: boolean; readonly debitAt: 'answer' | 'completion' | 'unknown' },
  operation: Pick<Operation<string>, 'eligible202'>,
): boolean {
  if (!account.exclusive || account.debitAt === 'unknown') return false;
  return account.debitAt === 'answer' || !operation.eligible202;
}
