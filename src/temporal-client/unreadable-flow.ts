/**
 * Is a flow on its way that these keys cannot read? The database knows the newest key (docs/decisions/0043), but a new or emptied
 * one knows none, and a worker without the key would refuse the inputs of flows that others could serve.
 */
import type { Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { TemporalConnection } from '../config/index.js';
import { keyIdOf } from './payload-codec.js';

/** The newest ones: a fleet writes with one key. */
const LOOK_AT = 20;
/** Of these the first event is read; the others are known by their memo, which our starters write. */
const READ_AT_MOST = 3;

/** The id of the key that is missing; undefined: nothing that runs on this queue is encrypted with another one. */
export async function findMissingKey(
  connection: Pick<Connection, 'workflowService'>,
  { namespace, payloadKeys }: Pick<TemporalConnection, 'namespace' | 'payloadKeys'>,
  taskQueue: string,
): Promise<string | undefined> {
  const { executions } = await connection.workflowService.listWorkflowExecutions({
    namespace,
    pageSize: LOOK_AT,
    query: `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`,
  });
  const missing = (payloads: readonly Payload[]): string | undefined =>
    payloads.map(keyIdOf).find((id) => id !== undefined && payloadKeys?.byId.has(id) !== true);
  let reads = 0;
  for (const { memo, execution } of executions) {
    const noted = Object.values(memo?.fields ?? {});
    let found = missing(noted);
    if (noted.length === 0 && reads < READ_AT_MOST) {
      reads += 1;
      found = missing(await inputOf(connection, namespace, execution));
    }
    if (found !== undefined) return found;
  }
  return undefined;
}

async function inputOf(
  connection: Pick<Connection, 'workflowService'>,
  namespace: string,
  execution:
    Parameters<Connection['workflowService']['getWorkflowExecutionHistory']>[0]['execution'] | null | undefined,
): Promise<readonly Payload[]> {
  const { history } = await connection.workflowService.getWorkflowExecutionHistory({
    namespace,
    maximumPageSize: 1,
    execution: execution ?? null,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
}
