/** Result of `summarizeCase`. */
import type { JsonObject } from '../../contract/json.js';
import type { Receipt, Spent } from '../results.js';

/** Result of `summarizeCase`: the summary as the service gives it. */
export interface SummarizeCaseResult {
  readonly cnj: string;
  readonly status: 'done';
  /** `data` of the answer as read; null where it is larger than a result may be (`truncated`): it is in the database. */
  readonly summary: JsonObject | null;
  /** ISO 8601 instant that the summary carries. */
  readonly updatedAt?: string;
  /** True when request and reading had been paid for before. */
  readonly reused: boolean;
  readonly truncated?: true;
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}
