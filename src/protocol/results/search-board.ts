/** Result of `searchBoard`. */
import type { PagesStop } from './collect-pages.js';
import type { Receipt, Spent } from '../results.js';

/** Result of `searchBoard`: how much was read. The publications themselves are in the database. */
export interface SearchBoardResult {
  /** Windows of at most seven civil days that were read. */
  readonly windows: number;
  readonly publications: number;
  readonly pages: number;
  /** Every window was read to its last page. */
  readonly complete: boolean;
  readonly stoppedBy?: PagesStop;
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}
