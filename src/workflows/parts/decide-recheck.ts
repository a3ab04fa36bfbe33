/** When may a growing collection be bought again? Pure. */

const MINUTE_MS = 60_000;
const SHORTEST_MS = 10 * MINUTE_MS;
const LONGEST_MS = 6 * 60 * MINUTE_MS;

/** After the first purchase ten minutes, then twice as long each time, at most six hours. */
export function recheckAfterMs(purchases: number): number {
  return Math.min(LONGEST_MS, SHORTEST_MS * 2 ** Math.max(0, Math.min(purchases, 12) - 1));
}

/** A webhook may bring it forward, but never to less than ten minutes after the last purchase. */
export function earliestRecheckMs(lastPurchaseMs: number): number {
  return lastPurchaseMs + SHORTEST_MS;
}

/** The event that says that the search has grown; no other event may lead to a purchase. */
export const SEARCH_EVENT = 'resultado_busca_oab_async';
