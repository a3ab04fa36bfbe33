/**
 * Looks for a running flow that these keys cannot read. The database knows the newest key (docs/decisions/0043), but a new or
 * emptied one knows none, and a worker without the key would refuse the inputs of flows that other workers could serve.
 */
import type { Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { TemporalConnection } from '../config/index.js';
import { keyIdOf } from './payload-codec.js';

/** Only the newest runs, because all workers write with one key. */
const LOOK_AT = 20;
/** The first event is read for this many runs without a memo; for the others the memo that our starters write is enough. */
const READ_AT_MOST = 3;

/** The id of the missing key; undefined if no such flow is found on this queue. */
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
    const memoPayloads = Object.values(memo?.fields ?? {});
    let keyId = missing(memoPayloads);
    if (memoPayloads.length === 0 && reads < READ_AT_MOST) {
      reads += 1;
      keyId = missing(await inputOf(connection, namespace, execution));
    }
    if (keyId !== undefined) return keyId;
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
