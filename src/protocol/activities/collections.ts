/** Collections of pages: what is opened, what is paid already, when they end. Types only. */

export interface OpenCollectionInput {
  readonly account: string;
  /** Keyed token of operation and arguments, without `maxPages`. */
  readonly key: string;
  readonly operation: string;
  /** What the caller allows of answers already paid for; absent: only an unfinished collection goes on. */
  readonly maxAgeMs?: number;
}

/** Absent members: every page is bought. */
export interface OpenedCollection {
  readonly maxAgeMs?: number;
  /** When the collection was begun: older answers belong to none, epoch ms. */
  readonly notBeforeMs?: number;
}

export interface FinishCollectionInput {
  readonly account: string;
  readonly key: string;
  readonly pages: number;
  readonly items: number;
  readonly complete: boolean;
}
