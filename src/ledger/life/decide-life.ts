/**
 * Decides whether the database may have forgotten calls since this worker last looked. Checked before every send, from columns
 * that the look-up of the intent reads anyway. Pure.
 */

/** The life of the database as one statement read it. */
export interface LedgerLife {
  /** Null: its row is gone. */
  readonly epoch: string | null;
  /** The server is the one that this life began on: same system, timeline, database and table. */
  readonly isSameServer: boolean;
  /** The last row that this worker knows to be committed still exists. */
  readonly hasWitness: boolean;
  readonly begunAtMs: number;
  readonly heldSinceMs: number | null;
}

export type LifeVerdict =
  | { readonly kind: 'same' }
  /** The journals are being heard. */
  | { readonly kind: 'held'; readonly sinceMs: number }
  | { readonly kind: 'changed'; readonly because: string };

/** `knownEpoch`: the life that this worker's journal was heard in; undefined where no journal is kept. */
export function decideLife(life: LedgerLife, knownEpoch: string | undefined): LifeVerdict {
  if (life.epoch === null) return changed('the record that identifies it is gone');
  if (!life.isSameServer) return changed('it was restored, failed over or moved');
  if (knownEpoch !== undefined && knownEpoch !== life.epoch)
    return changed('it is another database, or rows were deleted');
  if (!life.hasWitness) return changed('a committed call is missing');
  return life.heldSinceMs === null ? { kind: 'same' } : { kind: 'held', sinceMs: life.heldSinceMs };
}

/** Why charged calls of all accounts wait. */
export function holdOfLife(
  life: LedgerLife,
  knownEpoch: string | undefined,
  nowMs: number,
): { readonly because: 'ledger'; readonly sinceMs: number } | undefined {
  const verdict = decideLife(life, knownEpoch);
  if (verdict.kind === 'same') return undefined;
  return { because: 'ledger', sinceMs: verdict.kind === 'held' ? verdict.sinceMs : nowMs };
}

function changed(because: string): LifeVerdict {
  return { kind: 'changed', because };
}
