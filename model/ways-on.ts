/** Finds states from which no path leads to the end. Backwards from the ends, over moves that are not mishaps. */
export interface Graph {
  /** Targets of all moves, those of state 0 first. */
  readonly targets: Int32Array;
  /** Index in `targets` where those of each state begin; one entry more than there are states. */
  readonly starts: Int32Array;
  /** 1: the state is an end. */
  readonly ends: Int32Array;
}

/** The first state without a path to an end, or undefined. Later states tend to be nearer to an end, so it takes few rounds. */
export function findStuck({ targets, starts, ends }: Graph): number | undefined {
  const states = starts.length - 1;
  const reaches = new Uint8Array(states);
  for (let isMoving = true; isMoving;) {
    isMoving = false;
    for (let index = states - 1; index >= 0; index -= 1) {
      if (reaches[index] === 1 || !(ends[index] === 1 || leadsOn(index))) continue;
      reaches[index] = 1;
      isMoving = true;
    }
  }
  const stuck = reaches.indexOf(0);
  return stuck < 0 ? undefined : stuck;

  function leadsOn(index: number): boolean {
    for (let at = starts[index] ?? 0; at < (starts[index + 1] ?? 0); at += 1) {
      if (reaches[targets[at] ?? 0] === 1) return true;
    }
    return false;
  }
}
