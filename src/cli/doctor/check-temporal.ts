/** Is the server there, does it have the namespace, are the four search attributes registered, does a worker poll? */
import type { Connection } from '@temporalio/client';
import type { Config, TemporalConnection } from '../../config/index.js';
import { chargedTaskQueue } from '../../protocol/index.js';
import {
  connectClientNow,
  connectionProblem,
  countPollers,
  isRefused,
  letInCommand,
  missingSearchAttributes,
  readRouting,
  refusedText,
} from '../../temporal-client/index.js';
import { noPollerText } from '../output/no-poller.js';
import type { Finding } from './finding.js';

const WITHIN_MS = 5_000;

export async function checkTemporal(
  temporal: TemporalConnection,
  config: Pick<Config, 'taskQueue' | 'accounts' | 'deployment'>,
): Promise<readonly Finding[]> {
  const about = 'Temporal';
  const { address, namespace } = temporal;
  let connection: Connection;
  try {
    connection = await connectClientNow(temporal, WITHIN_MS);
  } catch {
    return [{ about, state: 'failed', text: (await connectionProblem(temporal)).text }];
  }
  try {
    return await connection.withDeadline(Date.now() + WITHIN_MS, async () => {
      const { config: told } = await connection.workflowService.describeNamespace({ namespace });
      const kept = told?.workflowExecutionRetentionTtl?.seconds;
      const found: Finding = { about, state: 'ok', text: `${address}, namespace "${namespace}"` };
      const histories: Finding = {
        ...{ about: 'retention', state: 'ok' },
        text: `histories of ended flows: ${kept === undefined || kept === null ? 'not told' : `${Number(kept) / 86_400}d`}, by the namespace`,
      };
      return [
        found,
        histories,
        ...(await checkSearchAttributes(connection, namespace)),
        checkEncryption(temporal),
        ...(await checkWorkers(connection, namespace, config)),
        ...(await checkVersion(connection, namespace, config)),
      ];
    });
  } catch (error) {
    if (isRefused(error)) return [{ about, state: 'failed', text: refusedText(namespace) }];
    const { code } = error as { readonly code?: unknown };
    const text = `${address} does not give namespace "${namespace}" (gRPC code ${String(code)}); set TEMPORAL_NAMESPACE, or create it`;
    return [{ about, state: 'failed', text }];
  } finally {
    await connection.close();
  }
}

async function checkSearchAttributes(connection: Connection, namespace: string): Promise<readonly Finding[]> {
  const about = 'search attributes';
  const missing = await missingSearchAttributes(connection, namespace);
  return missing.length === 0
    ? [{ about, state: 'ok', text: 'all registered' }]
    : [{ about, state: 'warning', text: `${missing.join(', ')} not registered; the worker does it where it may` }];
}

/** A warning, no failure: often nothing runs yet when the doctor is asked. */
async function checkWorkers(
  connection: Connection,
  namespace: string,
  { taskQueue, accounts }: Pick<Config, 'taskQueue' | 'accounts'>,
): Promise<readonly Finding[]> {
  const about = 'worker';
  const flows = await countPollers(connection, { namespace, taskQueue, of: 'flows' });
  if (flows === undefined) return [];
  if (flows === 0) return [{ about, state: 'warning', text: noPollerText(taskQueue) }];
  const queues = Object.keys(accounts).map((account) => chargedTaskQueue(taskQueue, account));
  const counts = await Promise.all(
    queues.map((queue) => countPollers(connection, { namespace, taskQueue: queue, of: 'calls' })),
  );
  const idle = queues.filter((_queue, index) => counts[index] === 0);
  return [
    { about, state: 'ok', text: `${flows} poll${flows === 1 ? 's' : ''} task queue "${taskQueue}"` },
    ...idle.map((queue): Finding => ({
      ...{ about, state: 'warning' },
      text: `no worker polls "${queue}": charged calls of its account wait; give the workers that account`,
    })),
  ];
}

/** Where this version gets no new flow, and none is let in, flows stand still. */
async function checkVersion(
  connection: Connection,
  namespace: string,
  { deployment }: Pick<Config, 'deployment'>,
): Promise<readonly Finding[]> {
  if (deployment === undefined) return [];
  const { deploymentName, buildId } = deployment;
  const { current, ramping } = (await readRouting(connection, { namespace, deploymentName })) ?? {};
  const isLetIn = [current, ramping].includes(buildId);
  const others = `current: ${current ?? 'none'}, ramping: ${ramping ?? 'none'}`;
  return [
    {
      about: 'version',
      state: isLetIn ? 'ok' : 'warning',
      text: `${buildId} of ${deploymentName}; ${others}${isLetIn ? '' : `. It gets no new flow; let it in: ${letInCommand(deployment)}`}`,
    },
  ];
}

/** No problem by itself: a choice that people should know of. */
function checkEncryption({ payloadKeys }: TemporalConnection): Finding {
  const about = 'payloads';
  const written = payloadKeys?.writes?.id;
  return {
    ...{ about, state: 'ok' },
    text:
      written === undefined
        ? 'written in clear, readable in Temporal; TRAMITA_PAYLOAD_KEYS encrypts'
        : `encrypted with the key "${written}"`,
  };
}
