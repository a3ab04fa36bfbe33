/**
 * The sandbox's clock: the real one plus an offset that the control interface can move forward, so that a back-off of
 * two hours or the billing of a year runs in milliseconds. Only durations of the *service* use it (work, links,
 * billing, webhook retries); how long a faulty socket hangs is real time.
 */
export interface SandboxClock {
  nowMs(): number;
  /** Runs `task` once the clock reaches `timeMs`, never synchronously with this call. */
  at(timeMs: number, task: () => void | Promise<void>): void;
  /**
   * Moves the clock forward. Due tasks run in order of time, each at its own time. `advance` waits for a task that
   * takes real time (a delivery), so that its retry falls into the same advance. Without such tasks everything is done
   * when the call returns.
   */
  advance(ms: number): Promise<void>;
  /** Discards every task and accepts no more. */
  stop(): void;
}

interface Task {
  readonly timeMs: number;
  readonly run: () => void | Promise<void>;
}

/** Longest delay that a Node timer takes. */
const MAX_TIMER_MS = 2_147_483_647;

export function createClock(realNowMs: () => number = Date.now): SandboxClock {
  let offsetMs = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let advancing: { targetMs: number; done: Promise<void> } | undefined;
  const tasks = new Set<Task>();
  /** Tasks that are still running in real time. */
  const taking = new Set<Promise<void>>();
  const nowMs = (): number => realNowMs() + offsetMs;

  const earliest = (): Task | undefined => {
    let first: Task | undefined;
    for (const task of tasks) if (first === undefined || task.timeMs < first.timeMs) first = task;
    return first;
  };
  const runDue = (): void => {
    for (let task = earliest(); task !== undefined && task.timeMs <= nowMs(); task = earliest()) {
      start(task);
    }
    arm();
  };
  const start = (task: Task): void => {
    tasks.delete(task);
    const running = task.run();
    if (running === undefined) return;
    const settled = running.finally(() => taking.delete(settled));
    taking.add(settled);
  };
  const arm = (): void => {
    clearTimeout(timer);
    const next = earliest();
    if (next === undefined) return;
    timer = setTimeout(runDue, Math.min(Math.max(0, next.timeMs - nowMs()), MAX_TIMER_MS));
    timer.unref();
  };
  const moveTo = (timeMs: number): void => {
    offsetMs = Math.max(offsetMs, timeMs - realNowMs());
  };
  const run = async (moving: { targetMs: number }): Promise<void> => {
    for (;;) {
      if (taking.size > 0) await Promise.all(taking);
      const task = earliest();
      if (task === undefined || task.timeMs > moving.targetMs) break;
      moveTo(task.timeMs);
      start(task);
    }
    moveTo(moving.targetMs);
    advancing = undefined;
    arm();
  };

  return {
    nowMs,
    at(timeMs, task) {
      if (stopped) return;
      tasks.add({ timeMs, run: task });
      arm();
    },
    advance(ms) {
      if (advancing !== undefined) {
        advancing.targetMs += ms;
        return advancing.done;
      }
      const moving = { targetMs: nowMs() + ms, done: Promise.resolve() };
      advancing = moving;
      moving.done = run(moving);
      return moving.done;
    },
    stop() {
      stopped = true;
      tasks.clear();
      clearTimeout(timer);
    },
  };
}
