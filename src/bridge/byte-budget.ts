/**
 * Limits the bytes that all connections hold together. A reservation that does not fit waits for a limited time. The newest is
 * served first: the oldest is closest to its timeout, and this way an earlier crowd cannot hold up new requests.
 */

export interface ByteBudget {
  /** Returns a function that releases the bytes; undefined if there was no room in time, or too many are waiting. */
  reserve(bytes: number): Promise<(() => void) | undefined>;
}

interface Waiter {
  readonly bytes: number;
  readonly finish: (isGranted: boolean) => void;
}

/** `maxBytes` must be at least the largest single reservation. */
export function createByteBudget(limits: {
  readonly maxBytes: number;
  readonly maxWaiting: number;
  readonly waitMs: number;
}): ByteBudget {
  const { maxBytes, maxWaiting, waitMs } = limits;
  /** Oldest first. */
  const waiting = new Set<Waiter>();
  let free = maxBytes;

  const take = (bytes: number): (() => void) => {
    free -= bytes;
    let isHeld = true;
    return () => {
      if (isHeld) free += bytes;
      isHeld = false;
      for (const next of [...waiting].reverse()) if (next.bytes <= free) next.finish(true);
    };
  };

  return {
    reserve: (bytes) => {
      if (bytes <= free) return Promise.resolve(take(bytes));
      return new Promise((resolve) => {
        const finish = (isGranted: boolean): void => {
          clearTimeout(timer);
          waiting.delete(waiter);
          resolve(isGranted ? take(bytes) : undefined);
        };
        const waiter: Waiter = { bytes, finish };
        const timer = setTimeout(finish, waitMs, false);
        waiting.add(waiter);
        const [oldest] = waiting;
        if (waiting.size > maxWaiting) oldest?.finish(false);
      });
    },
  };
}
