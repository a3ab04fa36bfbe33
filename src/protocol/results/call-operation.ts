/** Result of `callOperation` and `awaitRequest`: one answer of the service. */
import type { Json } from '../../contract/json.js';
import type { StoredAnswerFile } from '../answer-parts.js';
import type { Receipt, Spent } from '../results.js';

/** Result of `callOperation` and `awaitRequest`: one answer of the service. */
export interface CallOperationResult {
  /** HTTP status of the answer; of the final one where the service answered 202 first. */
  readonly status: number;
  /** The JSON of the answer up to 128 KB, without signed links. */
  readonly body?: Json;
  /** Instead of a larger `body`: its SHA-256, the key of the stored answer. */
  readonly bodySha256?: string;
  /** Instead of `body` where the answer is a file. */
  readonly file?: StoredAnswerFile;
  /** True when the answer had been paid for before and nothing was sent. */
  readonly reused: boolean;
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}
