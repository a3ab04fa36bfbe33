/** Result of `collectPages`. */
import type { JsonObject } from '../../contract/json.js';
import type { Receipt, Spent } from '../results.js';

/**
 * Why a collection ends before its last page. `maxPages`: as asked. `loop`: a page came twice. `refused link`: the next link
 * leads elsewhere and is not followed. `unsaid`: the service does not tell how to go on.
 */
export type PagesStop = 'maxPages' | 'loop' | 'refused link' | 'unsaid';

/** Result of `collectPages`: how far the collection came. The pages themselves are in the database. */
export interface CollectPagesResult {
  readonly pages: number;
  readonly items: number;
  /** The last page was reached, and the service does not say that its search was partial. */
  readonly complete: boolean;
  readonly stoppedBy?: PagesStop;
  /** `meta.search` of the last page; null where there is none. */
  readonly search: JsonObject | null;
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}
