/** Costs that are planned, for people. Pure. */
import type { CallPlan, CostAhead } from '../../planning/index.js';

export function costText(cost: CostAhead): string {
  switch (cost.kind) {
    case 'exact':
      return `cost: ${cost.amount}, if every call succeeds`;
    case 'at most':
      return `cost: at most ${cost.amount}`;
    case 'cap':
      return `cost: unknown, because a price is not known; a cap of ${cost.amount} stops it, and the last call may exceed it`;
    case 'unknown':
      return 'cost: unknown, because a price is not known; set "prices" in the configuration, or give "maxSpend"';
  }
}

export function priceText({ price, most }: Pick<CallPlan, 'price' | 'most'>): string {
  if (most === 0) return '-';
  return price ?? 'unknown';
}
