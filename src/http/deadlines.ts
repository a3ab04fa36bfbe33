/**
 * Three limits on one exchange: total, first byte, idle. They are timers of our own, because an HTTP library's `timeout`
 * is an idle limit at best: a server that drips one byte at a time never trips it. A paused process runs its timers before
 * it reads its sockets, so bytes that arrived meanwhile, perhaps a paid answer, are read before a limit counts as passed.
 */

export interface DeadlineLimits {
  readonly totalMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export interface Deadlines {
  /** Bytes arrived. */
  activity(): void;
  /** What arrived was a 1xx head: the wait for the first byte of the answer starts again. */
  interim(): void;
  /** Cancels all limits. */
  clear(): void;
}

/**
 * Calls `onExpired` at most once, with a text that says which limit was passed. `isSilent`: no bytes came; otherwise they came
 * too slowly.
 */
export function startDeadlines(
  limits: DeadlineLimits,
  onExpired: (reason: string, isSilent: boolean) => void,
): Deadlines {
  let over = false;
  let idle: NodeJS.Timeout | undefined;
  let arrivals = 0;
  const clear = (): void => {
    over = true;
    for (const timer of [total, firstByte, idle]) clearTimeout(timer);
  };
  const after = (ms: number, reason: string, isMetByBytes: boolean): NodeJS.Timeout =>
    setTimeout(() => {
      const seen = arrivals;
      setImmediate(() => {
        if (over || (isMetByBytes && arrivals > seen)) return;
        clear();
        onExpired(reason, isMetByBytes);
      });
    }, ms);
  const total = after(limits.totalMs, 'not finished within the total time', false);
  const forFirstByte = (): NodeJS.Timeout =>
    after(limits.firstByteMs, `no byte of an answer within ${limits.firstByteMs} ms`, true);
  let firstByte = forFirstByte();
  const activity = (): void => {
    if (over) return;
    arrivals += 1;
    clearTimeout(firstByte);
    if (idle === undefined) idle = after(limits.idleMs, `the answer stalled for ${limits.idleMs} ms`, true);
    else idle.refresh();
  };
  const interim = (): void => {
    if (over) return;
    for (const timer of [firstByte, idle]) clearTimeout(timer);
    idle = undefined;
    firstByte = forFirstByte();
  };
  return { activity, interim, clear };
}
