/**
 * The SDK stops a task of a flow that computes for more than five seconds, and that may end the process: Node aborts with "async
 * hook stack has become corrupted". Thousands of `wake` signals that came while no worker ran are one such task, and it would end
 * every worker that takes it. Flows have no endless loops, so a task gets all the time that it needs. The server's time limit of
 * a task still holds: it repeats that task alone.
 */
import type { WorkerOptions } from '@temporalio/worker';

/** The SDK takes this option, although its types do not show it. */
const LONG_TASKS: object = { isolateExecutionTimeout: '2m' };

/** A value that the user has set stays. */
export function withLongTasks<Options extends Partial<WorkerOptions>>(options: Options): Options {
  return { ...LONG_TASKS, ...options };
}
