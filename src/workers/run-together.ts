/** The workers of one process run and end together: when one ends or fails, the others finish their calls and end. */
import type { Worker } from '@temporalio/worker';

/** What {@link runTogether} needs of a worker: a `Worker` of the SDK has it. */
export type RunningWorker = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

/**
 * Runs the workers of one process: all of your own with `TramitaPlugin`, for example. Shut one down, and all end. Resolves or
 * rejects only once every worker has ended, with the error of the first that failed: a process that ended at once would lose
 * charged calls on their way.
 *
 * `onFailure` is called at once: the others may need minutes for the calls that are on their way.
 */
export async function runTogether(
  workers: readonly RunningWorker[],
  onFailure: (error: unknown) => void,
): Promise<void> {
  const failures: unknown[] = [];
  const left = new Set(workers);
  const runOne = async (worker: RunningWorker): Promise<void> => {
    try {
      await worker.run();
    } catch (error) {
      failures.push(error);
      onFailure(error);
    }
    left.delete(worker);
    left.forEach(shutdownOnce);
  };
  await Promise.all(workers.map(runOne));
  if (failures.length > 0) throw failures[0];
}

/** How often a worker that has not begun is looked at: the SDK does not report the beginning. */
const LOOK_EVERY_MS = 100;

/**
 * Shuts a worker down: at once, or as soon as it begins, because `Worker.shutdown` refuses a worker that is still preparing to
 * run (with `TramitaPlugin` it may wait a minute for its database). Does nothing if it is already ending: `Worker.shutdown`
 * would throw, and an error in a signal handler ends the process.
 */
export function shutdownOnce(worker: Pick<RunningWorker, 'shutdown' | 'getState'>): void {
  const state = worker.getState();
  if (state === 'RUNNING') worker.shutdown();
  if (state === 'INITIALIZED') setTimeout(() => shutdownOnce(worker), LOOK_EVERY_MS).unref();
}
