/**
 * Bytes that all connections together may hold. What does not fit waits for a while; the newest comes first, because who
 * has waited longest is nearest to being refused, and a crowd that came earlier then cannot hold up who comes now.
 */

export interface ByteBudget {
  /** Gives the bytes back when called; undefined: there was no room in time, or too many wait. */
  reserve(bytes: number): Promise<(() => void) | undefined>;
}

interface Waiting {
  readonly bytes: number;
  readonly settle: (isGranted: boolean) => void;
}

/** `maxBytes` must be at least what one may ask for. */
export function createByteBudget(limits: {
  readonly maxBytes: number;
  readonly maxWaiting: number;
  readonly waitMs: number;
}): ByteBudget {
  const { maxBytes, maxWaiting, waitMs } = limits;
  /** Oldest first. */
  const waiting = new Set<Waiting>();
  let free = maxBytes;

  const take = (bytes: number): (() => void) => {
    free -= bytes;
    let isHeld = true;
    return () => {
      if (isHeld) free += bytes;
      isHeld = false;
      for (const next of [...waiting].reverse()) if (next.bytes <= free) next.settle(true);
    };
  };

  return {
    reserve: (bytes) => {
      if (bytes <= free) return Promise.resolve(take(bytes));
      return new Promise((resolve) => {
        const settle = (isGranted: boolean): void => {
          clearTimeout(patience);
          waiting.delete(mine);
          resolve(isGranted ? take(bytes) : undefined);
        };
        const mine: Waiting = { bytes, settle };
        const patience = setTimeout(settle, waitMs, false);
        waiting.add(mine);
        const [oldest] = waiting;
        if (waiting.size > maxWaiting) oldest?.settle(false);
      });
    },
  };
}
