/** Collections of pages: opening one, what of it is paid, finishing it. Types only. */

export interface OpenCollectionInput {
  readonly account: string;
  /** Keyed token of operation and arguments, without `maxPages`. */
  readonly key: string;
  readonly operation: string;
  /** The age of paid answers that the caller accepts; absent: only an unfinished collection is continued. */
  readonly maxAgeMs?: number;
}

/** Which paid answers may be reused. Without members every page is bought. */
export interface OpenedCollection {
  readonly maxAgeMs?: number;
  /** When the collection was begun, epoch ms: older answers are not part of it. */
  readonly notBeforeMs?: number;
}

export interface FinishCollectionInput {
  readonly account: string;
  readonly key: string;
  readonly pages: number;
  readonly items: number;
  readonly complete: boolean;
}
