/** Result of `readCase`: one member per item of `include`. */
import type { JsonObject } from '../../contract/json.js';
import type { DocumentResult, Receipt, Spent } from '../results.js';

/** One movement of a case as a flow reports it. Text is cut at 1,000 characters; the whole is in the database. */
export interface MovementResult {
  readonly id: string | null;
  /** `yyyy-MM-dd`. */
  readonly date: string | null;
  readonly kind: string | null;
  readonly category: string | null;
  readonly text: string | null;
  readonly source: string | null;
  readonly degree: string | null;
}

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
