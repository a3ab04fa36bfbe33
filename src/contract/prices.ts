/**
 * What a call is expected to cost: configuration, else the interface's own figure, else experience, else the default. The
 * ledger reserves by it and a flow plans by it. Pure.
 */
import type { Operation } from './operation.js';
import { parseAmount, type Amount } from './values/amount.js';

/** By operation id; `default` applies when nothing else is known. */
export type Prices = Readonly<Record<string, Amount>> & {
  /** Of a call whose price nobody knows, in ten-thousandths of the currency. */
  readonly default: Amount;
};

/** The figure of the interface itself, for the few operations whose price it fixes. */
export function listedPrice({ price }: Pick<Operation<string>, 'price'>): Amount | undefined {
  return price === undefined ? undefined : parseAmount(price);
}

/**
 * The price of a call from configuration, else from the interface; undefined when only experience can tell. A configured
 * `"0"` is ignored: see {@link expectedPrice}.
 */
export function statedPrice(prices: Prices, operation: Pick<Operation<string>, 'id' | 'price'>): Amount | undefined {
  const configured = Object.hasOwn(prices, operation.id) ? prices[operation.id] : undefined;
  return positive(configured) ?? listedPrice(operation);
}

/** The reserve distinguishes a charged call from a free one, so it is never zero (docs/decisions/0022). */
const LEAST_RESERVE = 1 as Amount;

/** The expected price of a charged call: never zero, whatever is configured. */
export function expectedPrice(
  prices: Prices,
  operation: Pick<Operation<string>, 'id' | 'price'>,
  highestCharge: Amount | null,
): Amount {
  return statedPrice(prices, operation) ?? highestCharge ?? positive(prices.default) ?? LEAST_RESERVE;
}

function positive(amount: Amount | undefined): Amount | undefined {
  return amount === undefined || amount <= 0 ? undefined : amount;
}
