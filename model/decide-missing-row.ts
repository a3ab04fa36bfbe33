/** A step asks about its row, and there is none: the ledger's own rule, in the words of the model. Pure. */
import { decideMissingRow as decide } from '../src/ledger/decide-missing-row.js';

export interface MissingRow {
  /** The flow was told the id of the row: it was there. */
  readonly wasThere: boolean;
  /** The database has had this life since before the activity was scheduled. */
  readonly sameLife: boolean;
}

const BEGUN_MS = 1_000_000;
const MINUTE_MS = 60_000;

/** Whether a journal may still bring the row back is a matter of time, which the model does not have: it has not come. */
export function decideMissingRow({ wasThere, sameLife }: MissingRow): 'not_sent' | 'unknown' {
  const askedAtMs = sameLife ? BEGUN_MS + MINUTE_MS : BEGUN_MS - MINUTE_MS;
  const row = { isKnown: wasThere, isCopy: false, isHeld: false, isOverdue: true, askedAtMs, begunAtMs: BEGUN_MS };
  return decide(row) === 'not_sent' ? 'not_sent' : 'unknown';
}
