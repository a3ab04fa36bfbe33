/** Words of lawyers' collections: a set is what one import reads; committing it makes it what readers see. */
import type { LawyerCase } from '../../contract/index.js';
import type { StartKey } from '../start-key.js';

export interface Collection {
  readonly account: string;
  /** `UF:number`. */
  readonly oab: string;
}

export interface StagedPage {
  /** Hash of the request target that the page came from. */
  readonly targetHash: string;
  readonly page: number;
  readonly records: readonly LawyerCase[];
}

export type Staged =
  | { readonly kind: 'staged'; readonly withoutNumber: number }
  /** The same target with the same items was staged before (a repeated attempt). */
  | { readonly kind: 'again' }
  /** The same target as another page, or another target with the very items of this one: the list goes round. */
  | { readonly kind: 'repeated' };

/** How an import ended. */
export interface EndedImport {
  readonly version: string | null;
  readonly cases: number;
  readonly pages: number;
  readonly restarts: number;
  readonly paidChecks: number;
  /** How many cases the service says that there are. */
  readonly available?: number;
}

export interface CommitOrder extends Collection {
  readonly setId: string;
  readonly version: string | null;
  readonly pages?: number;
  /** Kept with the list: see {@link LawyerCollections.endOf}. */
  readonly end?: Pick<EndedImport, 'restarts' | 'paidChecks' | 'available'> & { readonly start: StartKey };
  readonly nowMs: number;
}

export interface LawyerCollections {
  stage(setId: string, page: StagedPage): Promise<Staged>;
  /**
   * One transaction: readers see the old set or this one. Returns how many cases it has. Idempotent; refuses a superseded set.
   * Undefined, and nothing done, where fewer than `pages` are staged: the database has forgotten some.
   */
  commit(order: CommitOrder): Promise<number | undefined>;
  /** The set that readers see, and its version; undefined before the first commit. */
  shown(list: Collection): Promise<{ readonly setId: string; readonly version: string | null } | undefined>;
  /** How the import that began so has ended first. */
  endOf(asked: { readonly account: string; readonly start: StartKey }): Promise<EndedImport | undefined>;
  /** Upserts rows of a growing coverage, marked as such. */
  saveProvisional(
    order: Collection & { readonly setId: string; readonly records: readonly LawyerCase[]; readonly nowMs: number },
  ): Promise<number>;
  count(setId: string): Promise<{ readonly cases: number; readonly pages: number }>;
  /** Sets that no import can commit any more: given up, or terminated, more than 40 days ago. Returns how many. */
  dropAbandoned(): Promise<number>;
}
