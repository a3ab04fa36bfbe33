/** Caps and floor: may a call of this price be made? Pure. */
import type { Amount } from '../contract/index.js';
import type { Figures } from './look-up.js';
import type { IntentVerdict } from './intent-verdict.js';
import type { OpenIntent } from './opening-request.js';
import type { LedgerSettings } from './settings.js';

export interface Limits {
  readonly flow: Amount | undefined;
  readonly day: Amount | undefined;
  readonly floor: Amount | undefined;
  readonly shared: Amount | undefined;
}

/** Nothing is capped. */
export const NO_LIMITS: Limits = { flow: undefined, day: undefined, floor: undefined, shared: undefined };

export type OverBudget = Extract<IntentVerdict, { readonly kind: 'over budget' }>;

/** Of the flow's own cap and the account's cap per flow, the smaller one applies. */
export function limitsOf(
  settings: LedgerSettings,
  { account, maxSpend, budget }: Pick<OpenIntent, 'account' | 'maxSpend' | 'budget'>,
): Limits {
  const own = settings.accounts[account] ?? {};
  const caps = [maxSpend, own.maxSpendPerFlow].filter((cap) => cap !== undefined);
  return {
    flow: caps.length === 0 ? undefined : (Math.min(...caps) as Amount),
    day: own.maxSpendPerDay,
    floor: own.minBalance,
    shared: budget?.limit,
  };
}

/**
 * The limit that this call would exceed, or undefined. `needed` is what the limit would have to be (the caps), or what the
 * balance would have to be (`balance`: floor + reservations + price). A balance that was never reported stops nothing.
 */
export function decideBudget(price: Amount, limits: Limits, figures: Figures): OverBudget | undefined {
  const over = (cap: OverBudget['cap'], limit: Amount, needed: number): OverBudget => ({
    kind: 'over budget',
    cap,
    limit,
    price,
    needed: needed as Amount,
  });
  const flow = figures.flowSpent + price;
  if (limits.flow !== undefined && flow > limits.flow) return over('flow', limits.flow, flow);
  const shared = figures.sharedSpent + price;
  if (limits.shared !== undefined && shared > limits.shared) return over('shared', limits.shared, shared);
  const day = figures.daySpent + price;
  if (limits.day !== undefined && day > limits.day) return over('day', limits.day, day);
  const { lastBalance: balance } = figures;
  if (limits.floor === undefined || balance === null) return undefined;
  const needed = limits.floor + figures.held + price;
  return balance < needed ? { ...over('balance', limits.floor, needed), balance } : undefined;
}

/** Bounds on the sums of the account and of a shared budget within which one more call fits; null: no limit. */
export interface Room {
  readonly dayAtMost: number | null;
  readonly sharedAtMost: number | null;
  /** Lower bound of the last balance minus reservations. */
  readonly freeAtLeast: number | null;
}

/** What must hold when the row is written. If it does not, {@link decideBudget} names the limit. */
export function roomFor(price: Amount, { day, floor, shared }: Limits): Room {
  return {
    dayAtMost: day === undefined ? null : day - price,
    sharedAtMost: shared === undefined ? null : shared - price,
    freeAtLeast: floor === undefined ? null : floor + price,
  };
}
