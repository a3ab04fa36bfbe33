/**
 * What a missing row proves about a step whose activity did not come back. Apart from a copy's, only "no row, and the same life
 * of the database since before the attempt" proves that nothing was sent. Otherwise the row may have been lost. Pure.
 */
import { CLOCK_MARGIN_MS } from '../contract/values/index.js';

export interface MissingRow {
  /** The flow knows the id of the row, so the row existed. */
  readonly isKnown: boolean;
  /** The row was a copy of another flow's call: nothing was sent for it. */
  readonly isCopy: boolean;
  /** When the flow asked for the attempt, epoch ms; null where an older flow does not say. */
  readonly askedAtMs: number | null;
  /** When the present life of the database began, epoch ms. */
  readonly begunAtMs: number;
  /** The database has another life than this worker knows, or its journals are being heard: the row may come back. */
  readonly isHeld: boolean;
  /** The flow has waited long enough for a row to come back. */
  readonly isOverdue: boolean;
}

export type MissingRowMeans =
  /** Nothing was sent: a closed row is written. */
  | 'not_sent'
  /** A journal may bring the row back: ask again soon. */
  | 'wait'
  /** The ledger has forgotten the call, or may have: an unknown row is written from what the flow knows. */
  | 'lost';

export function decideMissingRow(row: MissingRow): MissingRowMeans {
  const mayBeOlder = row.askedAtMs === null || row.askedAtMs - CLOCK_MARGIN_MS <= row.begunAtMs;
  const isProven = row.isCopy || !(row.isKnown || row.isHeld || mayBeOlder);
  if (isProven) return 'not_sent';
  return row.isHeld && !row.isOverdue ? 'wait' : 'lost';
}
