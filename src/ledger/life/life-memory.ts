/** What this process knows of the ledger's database: the life in which its journal was heard, and its last committed row. */
export interface LifeMemory {
  /** Undefined until the journal was heard, or where none is kept. */
  readonly epoch: () => string | undefined;
  /** A row that must be there; null where none is known. */
  readonly witness: () => string | null;
  /** The journal was heard in this life; everything that it knows is there. */
  readonly heardIn: (epoch: string) => void;
  /** This row was committed, and is in the journal. */
  readonly committed: (intentId: string) => void;
}

export function createLifeMemory(): LifeMemory {
  let epoch: string | undefined;
  let witness: string | null = null;
  return {
    epoch: () => epoch,
    witness: () => witness,
    heardIn: (known) => {
      // A row that was written again may have another id than this process knew.
      if (known !== epoch) witness = null;
      epoch = known;
    },
    committed: (intentId) => {
      witness = intentId;
    },
  };
}
