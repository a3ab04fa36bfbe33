/**
 * The sandbox's clock: the real one plus an offset that the control interface can move forward, so that a back-off of
 * two hours runs in milliseconds. Only durations of the *service* live here (work, links, webhook retries); how long a
 * faulty socket hangs is real time.
 */
export interface SandboxClock {
  nowMs(): number;
  /** Runs `task` once the clock reaches `timeMs`, never synchronously with this call. */
  at(timeMs: number, task: () => void): void;
  /** Moves the clock forward and runs what has become due, in order of time. */
  advance(ms: number): void;
  /** Forgets every task, and takes no more. */
  stop(): void;
}

interface Task {
  readonly timeMs: number;
  readonly run: () => void;
}

/** Longest delay that a Node timer takes. */
const MAX_TIMER_MS = 2_147_483_647;

export function createClock(realNowMs: () => number = Date.now): SandboxClock {
  let offsetMs = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const tasks = new Set<Task>();
  const nowMs = (): number => realNowMs() + offsetMs;

  const earliest = (): Task | undefined => {
    let first: Task | undefined;
    for (const task of tasks) if (first === undefined || task.timeMs < first.timeMs) first = task;
    return first;
  };
  const runDue = (): void => {
    for (let task = earliest(); task !== undefined && task.timeMs <= nowMs(); task = earliest()) {
      tasks.delete(task);
      task.run();
    }
    arm();
  };
  const arm = (): void => {
    clearTimeout(timer);
    const next = earliest();
    if (next === undefined) return;
    timer = setTimeout(runDue, Math.min(Math.max(0, next.timeMs - nowMs()), MAX_TIMER_MS));
    timer.unref();
  };

  return {
    nowMs,
    at(timeMs, run) {
      if (stopped) return;
      tasks.add({ timeMs, run });
      arm();
    },
    advance(ms) {
      offsetMs += ms;
      runDue();
    },
    stop() {
      stopped = true;
      tasks.clear();
      clearTimeout(timer);
    },
  };
}
