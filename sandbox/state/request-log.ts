/**
 * The latest requests that the sandbox received, charged or not. Older ones are dropped, so that memory stays flat.
 * Records only the hash of a key, and no headers. In memory.
 */
import type { Flushed } from './charge-book.js';

/** A request that the sandbox received, and its result. */
export interface ReceivedRequest {
  /** 1, 2, … in the order of arrival. */
  readonly n: number;
  /** ISO time by the sandbox's clock. */
  readonly at: string;
  /** `api`: the service. `documents`: the second origin, of signed links. */
  readonly origin: 'api' | 'documents';
  /** Catalogue id, `downloadDocument`, or null for a path that no operation has. */
  readonly operation: string | null;
  /** HTTP method. */
  readonly method: string;
  /** Path with query, as received. */
  readonly target: string;
  /** Hash of the API key; null for a request without one. */
  readonly keyHash: string | null;
  /** Number of the TCP connection. */
  readonly connection: number;
  /** HTTP status of the answer; null when none was sent, or not yet. */
  readonly status: number | null;
  /** Number in the charge book; null when this request cost nothing. */
  readonly charge: number | null;
  /** The fault that this request met, like `F4`; null: none. */
  readonly fault: string | null;
  /** How much of the answer was sent; null while it is being written. */
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
