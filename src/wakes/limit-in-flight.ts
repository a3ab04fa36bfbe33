/** Runs at most `most` functions at once, in the order of the calls. A waiting call costs one closure. */
export type InFlightLimit = <T>(run: () => Promise<T>) => Promise<T>;

export function limitInFlight(most: number): InFlightLimit {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (run) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
