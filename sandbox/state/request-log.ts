/** Every request the sandbox received, charged or not. Says of a key only its hash and of headers nothing. In memory. */
import type { Flushed } from './charge-book.js';

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
  list(): readonly ReceivedRequest[];
}

export function createRequestLog(): RequestLog {
  const rows: ReceivedRequest[] = [];
  return {
    open(request) {
      rows.push({ n: rows.length + 1, ...request, status: null, charge: null, fault: null, flushed: null });
      return rows.length;
    },
    note(n, note) {
      const row = rows[n - 1];
      if (row !== undefined) rows[n - 1] = { ...row, ...note };
    },
    list: () => rows,
  };
}
