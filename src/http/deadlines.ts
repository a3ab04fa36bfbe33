/**
 * Three limits on one exchange: total, first byte, idle. Real timers of our own, because an HTTP library's `timeout` is
 * an idle limit at best: a server that drips one byte at a time outlives it. A process that stood still runs its timers
 * before it reads its sockets: what has come meanwhile, perhaps a paid answer, is read before a limit counts as passed.
 */

export interface DeadlineLimits {
  readonly totalMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export interface Deadlines {
  /** Bytes arrived. */
  activity(): void;
  /** What arrived was no answer yet: its first byte is waited for again, from now on. */
  interim(): void;
  /** No limit holds any more. */
  clear(): void;
}

/** Calls `onExpired` at most once, with a text that says which limit was passed. */
export function startDeadlines(limits: DeadlineLimits, onExpired: (reason: string) => void): Deadlines {
  let over = false;
  let idle: NodeJS.Timeout | undefined;
  let arrivals = 0;
  const clear = (): void => {
    over = true;
    for (const timer of [total, firstByte, idle]) clearTimeout(timer);
  };
  const after = (ms: number, reason: string, endsWithBytes: boolean): NodeJS.Timeout =>
    setTimeout(() => {
      const seen = arrivals;
      setImmediate(() => {
        if (over || (endsWithBytes && arrivals > seen)) return;
        clear();
        onExpired(reason);
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
