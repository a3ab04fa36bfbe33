/**
 * The latest requests that the sandbox received, charged or not. Older ones are dropped, so that memory stays flat.
 * Records only the hash of a key, and no headers. In memory.
 */
import type { Flushed } from './charge-book.js';

/** A request that the sandbox received, and its result. */
export interface ReceivedRequest {
  readonly n: number;
  readonly at: string;
  readonly origin: 'api' | 'documents';
  /** Catalogue id, `downloadDocument`, or null for a path that no operation has. */
  readonly operation: string | null;
  readonly method: string;
  readonly target: string;
  readonly keyHash: string | null;
  readonly connection: number;
  readonly status: number | null;
  /** Number in the charge book; null when this request cost nothing. */
  readonly charge: number | null;
  readonly fault: string | null;
  readonly flushed: Flushed | null;
}

export type RequestNote = Partial<Pick<ReceivedRequest, 'status' | 'charge' | 'fault' | 'flushed'>>;

export interface RequestLog {
  open(request: Omit<ReceivedRequest, 'n' | keyof RequestNote>): number;
  note(n: number, note: RequestNote): void;
  /** Oldest first. */
  list(): readonly ReceivedRequest[];
  /** Total number of requests. */
  count(): number;
}

export function createRequestLog(size: number): RequestLog {
  const rows = new Map<number, ReceivedRequest>();
  let count = 0;
  return {
    open(request) {
      count += 1;
      rows.set(count, { n: count, ...request, status: null, charge: null, fault: null, flushed: null });
      rows.delete(count - size);
      return count;
    },
    note(n, note) {
      const row = rows.get(n);
      if (row !== undefined) rows.set(n, { ...row, ...note });
    },
    list: () => [...rows.values()],
    count: () => count,
  };
}
