/** Counts the pollers of a task queue. Without a poller a flow is stuck, and nothing else shows it. */
import { temporal } from '@temporalio/proto';
import type { Connection } from '@temporalio/client';

/** A poll ends within a minute and the next one follows. A poller without a newer poll is gone, although the server lists it. */
const GONE_AFTER_MS = 90_000;

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = temporal.api.enums.v1.TaskQueueType;

/** How many processes poll the queue; undefined where the server does not say. */
export async function countPollers(
  connection: Pick<Connection, 'workflowService'>,
  {
    namespace,
    taskQueue,
    of,
  }: { readonly namespace: string; readonly taskQueue: string; readonly of: 'flows' | 'calls' },
): Promise<number | undefined> {
  const taskQueueType = of === 'flows' ? TASK_QUEUE_TYPE_WORKFLOW : TASK_QUEUE_TYPE_ACTIVITY;
  const request = { namespace, taskQueue: { name: taskQueue }, taskQueueType };
  const answer = await connection.workflowService.describeTaskQueue(request).catch(() => undefined);
  if (answer === undefined) return undefined;
  const sinceSeconds = (Date.now() - GONE_AFTER_MS) / 1_000;
  return answer.pollers.filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) >= sinceSeconds).length;
}
