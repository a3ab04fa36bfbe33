/**
 * A step asks about its row, and there is none. Stand-in for the ledger's own rule of this name, which is to be imported here:
 * only "no row, and the database lives since before the attempt" proves that nothing was sent. Pure.
 */
export interface MissingRow {
  /** The flow was told the id of the row: it was there. */
  readonly wasThere: boolean;
  /** The database has had this life since before the activity was scheduled. */
  readonly sameLife: boolean;
}

export function decideMissingRow({ wasThere, sameLife }: MissingRow): 'not sent' | 'unknown' {
  return !wasThere && sameLife ? 'not sent' : 'unknown';
}
