/** Caps, floor and the price that is expected of a call. Pure. */
import { parseAmount, type Amount, type Operation } from '../contract/index.js';
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

export type OverBudget = Extract<IntentVerdict, { readonly kind: 'over budget' }>;

/** The flow's own cap and the account's: the smaller one holds. */
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

/** The figure of the interface itself, for the few operations whose price it fixes. */
export function listedPrice({ price }: Pick<Operation<string>, 'price'>): Amount | undefined {
  return price === undefined ? undefined : parseAmount(price);
}

/**
 * What configuration, else the interface, says a call costs; undefined when only experience can tell. A configured `"0"` says
 * nothing: see {@link expectedPrice}.
 */
export function statedPrice(settings: LedgerSettings, operation: Operation<string>): Amount | undefined {
  const configured = Object.hasOwn(settings.prices, operation.id) ? settings.prices[operation.id] : undefined;
  return positive(configured) ?? listedPrice(operation);
}

/** The reserve is what tells a charged call from a free one, so it is never zero (docs/decisions/0022). */
const LEAST_RESERVE = 1 as Amount;

/** What is reserved for a call that the catalogue calls charged: never zero, whatever is configured. */
export function expectedPrice(
  settings: LedgerSettings,
  operation: Operation<string>,
  highestCharge: Amount | null,
): Amount {
  return statedPrice(settings, operation) ?? highestCharge ?? positive(settings.prices.default) ?? LEAST_RESERVE;
}

function positive(amount: Amount | undefined): Amount | undefined {
  return amount === undefined || amount <= 0 ? undefined : amount;
}

/**
 * The limit that this call would pass, or undefined. `needed` is what the limit would have to be (the caps), or what
 * the balance would have to be (`balance`: floor + reservations + price). A balance that was never told stops nothing.
 */
export function decideBudget(price: Amount, limits: Limits, figures: Figures): OverBudget | undefined {
  const flow = figures.flowSpent + price;
  if (limits.flow !== undefined && flow > limits.flow) return over('flow', limits.flow, flow);
  const shared = figures.sharedSpent + price;
  if (limits.shared !== undefined && shared > limits.shared) return over('shared', limits.shared, shared);
  const day = figures.daySpent + price;
  if (limits.day !== undefined && day > limits.day) return over('day', limits.day, day);
  if (limits.floor === undefined || figures.lastBalance === null) return undefined;
  const needed = limits.floor + figures.held + price;
  return figures.lastBalance < needed ? over('balance', limits.floor, needed) : undefined;
}

function over(cap: OverBudget['cap'], limit: Amount, needed: number): OverBudget {
  return { kind: 'over budget', cap, limit, needed: needed as Amount };
}
