/**
 * Since when polls of a row have been answered by an error of the service, or by a refusal that says nothing. One is a bad moment;
 * when they last, the flow parks, and the request is asked for again as its evidence. Kept only by this process: another one
 * begins to count again.
 */
export interface ErrorFinals {
  /** Notes an error; true when they have lasted. */
  lasts(intentId: string, nowMs: number): boolean;
  forget(intentId: string): void;
}

const LASTS_MS = 15_000;
/** Further apart than polls are at most: between two such errors another worker may have seen that it is at work. */
const APART_MS = 20 * 60_000;
/** Rows at the same time; beyond, the oldest begins again. */
const MOST_ROWS = 10_000;

export function createErrorFinals(): ErrorFinals {
  const errors = new Map<string, { readonly firstMs: number; readonly lastMs: number }>();
  return {
    lasts: (intentId, nowMs) => {
      const known = errors.get(intentId);
      const firstMs = known === undefined || nowMs - known.lastMs > APART_MS ? nowMs : known.firstMs;
      const [oldest] = errors.keys();
      if (known === undefined && oldest !== undefined && errors.size >= MOST_ROWS) errors.delete(oldest);
      errors.set(intentId, { firstMs, lastMs: nowMs });
      return nowMs - firstMs >= LASTS_MS;
    },
    forget: (intentId) => void errors.delete(intentId),
  };
}
