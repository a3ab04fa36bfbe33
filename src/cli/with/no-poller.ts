/** Texts about flows and calls that wait because no worker polls their task queue. */
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { countPollers } from '../../temporal-client/index.js';

/** Undefined if a worker polls the queue, or the server does not say. */
export async function noPoller({ connection, options }: Client, taskQueue: string): Promise<string | undefined> {
  const pollers = await countPollers(connection, { namespace: options.namespace, taskQueue, of: 'flows' });
  return pollers === 0 ? noPollerText(taskQueue) : undefined;
}

/** Null unless an activity that no worker has started yet is on a queue without pollers. */
export async function noCallPoller(
  { connection, options: { namespace } }: Client,
  { pendingActivities }: WorkflowExecutionDescription['raw'],
): Promise<string | null> {
  const waiting = (pendingActivities ?? []).filter(
    ({ lastStartedTime }) => (lastStartedTime ?? undefined) === undefined,
  );
  const queues = new Set(waiting.flatMap(({ activityOptions }) => activityOptions?.taskQueue?.name ?? []));
  for (const taskQueue of queues) {
    if ((await countPollers(connection, { namespace, taskQueue, of: 'calls' })) === 0) {
      return `no worker polls "${taskQueue}", which the flow needs next: none runs, or each is busy; start one that serves this queue`;
    }
  }
  return null;
}

export function noPollerText(taskQueue: string): string {
  return `no worker polls task queue "${taskQueue}", so flows make no progress; start one with "tramita worker", or correct TRAMITA_TASK_QUEUE`;
}

/** `queue` is that of the charged calls of one account. Pure. */
export function noCallPollerText(queue: string): string {
  return `no worker polls "${queue}": charged calls of its account wait; give the workers that account`;
}
