/** A step asks about its row, and the row is missing: the ledger's own rule, in the model's terms. Pure. */
import { decideMissingRow as decide } from '../src/ledger/decide-missing-row.js';

export interface MissingRow {
  /** The flow was given the id of the row, so the row existed. */
  readonly wasThere: boolean;
  /** The database has had its current life since before the activity was scheduled. */
  readonly sameLife: boolean;
}

const BEGUN_MS = 1_000_000;
const MINUTE_MS = 60_000;

/** Whether a journal may still restore the row depends on time, which the model does not have: here that time is over. */
export function decideMissingRow({ wasThere, sameLife }: MissingRow): 'not_sent' | 'unknown' {
  const askedAtMs = sameLife ? BEGUN_MS + MINUTE_MS : BEGUN_MS - MINUTE_MS;
  const row = { isKnown: wasThere, isCopy: false, isHeld: false, isOverdue: true, askedAtMs, begunAtMs: BEGUN_MS };
  return decide(row) === 'not_sent' ? 'not_sent' : 'unknown';
}
