/**
 * Since when polls of a row have been answered by an error of the service. One is a bad moment; when they last, the flow parks,
 * and the request is asked for again as its evidence. Kept by this process alone: another one begins to count anew.
 */
export interface ErrorFinals {
  /** Notes an error; true when they have lasted. */
  lasts(intentId: string, nowMs: number): boolean;
  forget(intentId: string): void;
}

const LASTS_MS = 15_000;
/** Rows at the same time; beyond, the oldest begins anew. */
const MOST_ROWS = 10_000;

export function createErrorFinals(): ErrorFinals {
  const since = new Map<string, number>();
  return {
    lasts: (intentId, nowMs) => {
      const firstMs = since.get(intentId);
      if (firstMs !== undefined) return nowMs - firstMs >= LASTS_MS;
      const [oldest] = since.keys();
      if (oldest !== undefined && since.size >= MOST_ROWS) since.delete(oldest);
      since.set(intentId, nowMs);
      return false;
    },
    forget: (intentId) => void since.delete(intentId),
  };
}
