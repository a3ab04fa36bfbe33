/** Result of `readCase`: one member per item of `include`. */
import type { JsonObject } from '../../contract/json.js';
import type { MovementResult } from '../answer-parts.js';
import type { DocumentResult, Receipt, Spent } from '../results.js';

/** Result of `readCase`: one member per item of `include`. */
export interface ReadCaseResult {
  readonly cnj: string;
  /** `data` of the answer as read, without the raw copy; absent when larger than a result may be. */
  readonly cover?: JsonObject;
  readonly movements?: readonly MovementResult[];
  readonly movementCount?: number;
  readonly moreMovements?: boolean;
  readonly documents?: readonly DocumentResult[];
  readonly documentCount?: number;
  readonly moreDocuments?: boolean;
  /** `data` of the answer as read. */
  readonly summary?: JsonObject;
  /** Lists were cut to keep the result small; the whole is in the database. */
  readonly truncated?: true;
  readonly spent: Spent;
  readonly receipts: readonly Receipt[];
}
