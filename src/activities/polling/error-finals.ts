/**
 * Since when polls of a row have been answered by errors of the service or unsigned refusals. A single one may be a bad moment.
 * If they last, the flow parks, and evidence asks for the request again. Only this process remembers it: another one starts to
 * count again.
 */
export interface ErrorFinals {
  /** Notes an error; true if errors have lasted long enough to end the work. */
  lasts(intentId: string, nowMs: number): boolean;
  forget(intentId: string): void;
}

const LASTS_MS = 15_000;
/** More than the longest pause between polls: in between, another worker may have seen that the work is still running. */
const APART_MS = 20 * 60_000;
/** Rows that are remembered at a time; beyond that the oldest is forgotten. */
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
