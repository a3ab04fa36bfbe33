/** Checks the Temporal server: reachable, namespace, search attributes, polling workers, version of the deployment. */
import { Client, type Connection } from '@temporalio/client';
import type { Config, TemporalConnection } from '../../config/index.js';
import { DAY_MS, GIVE_UP_AFTER_MS } from '../../contract/index.js';
import { chargedTaskQueue, SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import {
  attributeOf,
  connectClientNow,
  connectionProblem,
  countPollers,
  isRefused,
  letInCommand,
  missingSearchAttributes,
  readRouting,
  refusedText,
} from '../../temporal-client/index.js';
import { noCallPollerText, noPollerText } from '../with/no-poller.js';
import { failed, ok, warning, type Finding } from './finding.js';

const WITHIN_MS = 5_000;
const ELSEWHERE_WITHIN_MS = 2_000;

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
    return [failed(about, (await connectionProblem(temporal)).text)];
  }
  const server = { connection, namespace };
  try {
    return await connection.withDeadline(Date.now() + WITHIN_MS, async () => {
      const { config: settings } = await connection.workflowService.describeNamespace({ namespace });
      const kept = settings?.workflowExecutionRetentionTtl?.seconds;
      return [
        ok(about, `${address}, namespace "${namespace}"`),
        historiesFinding(kept === undefined || kept === null ? undefined : Number(kept) * 1_000),
        ...(await checkSearchAttributes(server)),
        checkEncryption(temporal),
        ...(await checkWorkers(server, config)),
        ...(await checkVersion(server, config)),
      ];
    });
  } catch (error) {
    if (isRefused(error)) return [failed(about, refusedText(namespace))];
    const { code } = error as { readonly code?: unknown };
    const text = `${address} does not show namespace "${namespace}" (gRPC code ${String(code)}); set TEMPORAL_NAMESPACE, or create it`;
    return [failed(about, text)];
  } finally {
    await connection.close();
  }
}

/** A portfolio or a parked flow may ask `GIVE_UP_AFTER_MS` later how another flow has ended. Exported for tests. Pure. */
export function historiesFinding(keptMs: number | undefined): Finding {
  const text = `histories of ended flows: ${keptMs === undefined ? 'not known' : `${keptMs / DAY_MS}d`}, by the namespace`;
  if (keptMs === undefined || keptMs >= GIVE_UP_AFTER_MS) return ok('retention', text);
  const lost =
    'after that, no program can read the result of a flow, not even a portfolio, and `ledger reconcile` finds no calls of such flows';
  return warning('retention', `${text}: ${lost}; if that matters: temporal operator namespace update --retention 30d`);
}

interface Server {
  readonly connection: Connection;
  readonly namespace: string;
}

async function checkSearchAttributes({ connection, namespace }: Server): Promise<readonly Finding[]> {
  const about = 'search attributes';
  const missing = await missingSearchAttributes(connection, namespace);
  return missing.length === 0
    ? [ok(about, 'all registered')]
    : [warning(about, `${missing.join(', ')} not registered; the worker registers them if it may`)];
}

/** Warnings, not failures: often no worker runs yet. */
async function checkWorkers(
  server: Server,
  { taskQueue, accounts }: Pick<Config, 'taskQueue' | 'accounts'>,
): Promise<readonly Finding[]> {
  const { connection, namespace } = server;
  const about = 'worker';
  const flows = await countPollers(connection, { namespace, taskQueue, of: 'flows' });
  if (flows === undefined) return [];
  // Left out if it cannot be read: attributes not registered, no right to list, a slow server.
  const elsewhere = await connection
    .withDeadline(Date.now() + ELSEWHERE_WITHIN_MS, () => checkOtherFlows(server, { taskQueue, accounts }))
    .catch(() => []);
  if (flows === 0) return [warning(about, noPollerText(taskQueue)), ...elsewhere];
  const idle = await Promise.all(Object.keys(accounts).map((account) => idleQueue(server, { taskQueue, account })));
  return [ok(about, `${flows} poll${flows === 1 ? 's' : ''} task queue "${taskQueue}"`), ...idle.flat(), ...elsewhere];
}

async function idleQueue(
  { connection, namespace }: Server,
  { taskQueue, account }: { readonly taskQueue: string; readonly account: string },
): Promise<readonly Finding[]> {
  const queue = chargedTaskQueue(taskQueue, account);
  const calls = await countPollers(connection, { namespace, taskQueue: queue, of: 'calls' });
  return calls === 0 ? [warning('worker', noCallPollerText(queue))] : [];
}

/** Pairs of task queue and account that one run of the doctor checks; the next run shows more once these are served. */
const MOST_QUEUES = 5;

/**
 * Flows on other task queues, which a user's own program serves, perhaps without the queue of charged calls. And flows of
 * accounts that this configuration does not have.
 */
async function checkOtherFlows(
  server: Server,
  { taskQueue, accounts }: Pick<Config, 'taskQueue' | 'accounts'>,
): Promise<readonly Finding[]> {
  const { connection, namespace } = server;
  const { flow, account } = SEARCH_ATTRIBUTES;
  const { workflow } = new Client({ connection, namespace });
  const own = Object.keys(accounts).map((name) => `"${name}"`);
  const seen = [`(TaskQueue != "${taskQueue}" OR ${account} NOT IN (${own.join(', ')}))`];
  const findings: Finding[] = [];
  for (let looks = 0; looks < MOST_QUEUES; looks += 1) {
    const query = [`${flow} IS NOT NULL`, 'ExecutionStatus = "Running"', ...seen].join(' AND ');
    const found = await firstIn(workflow.list({ query, pageSize: 1 }));
    if (found === undefined) break;
    const [queue, name] = [found.taskQueue, attributeOf(found, account)];
    if (name === null || /"/.test(queue + name)) break;
    seen.push(`(TaskQueue != "${queue}" OR ${account} != "${name}")`);
    const flows = await countPollers(connection, { namespace, taskQueue: queue, of: 'flows' });
    if (flows === 0 && queue !== taskQueue) findings.push(warning('worker', noPollerText(queue)));
    findings.push(...(await idleQueue(server, { taskQueue: queue, account: name })));
  }
  return findings;
}

async function firstIn<T>(found: AsyncIterable<T>): Promise<T | undefined> {
  for await (const first of found) return first;
  return undefined;
}

/** A build that is neither current nor ramping gets no new flows. */
async function checkVersion(
  { connection, namespace }: Server,
  { deployment }: Pick<Config, 'deployment'>,
): Promise<readonly Finding[]> {
  if (deployment === undefined) return [];
  const { deploymentName, buildId } = deployment;
  const { current, ramping } = (await readRouting(connection, { namespace, deploymentName })) ?? {};
  const text = `${buildId} of ${deploymentName}; current: ${current ?? 'none'}, ramping: ${ramping ?? 'none'}`;
  return [current, ramping].includes(buildId)
    ? [ok('version', text)]
    : [warning('version', `${text}. It gets no new flows until it is made current: ${letInCommand(deployment)}`)];
}

/** Always `ok`: a choice that people should know about. */
function checkEncryption({ payloadKeys }: TemporalConnection): Finding {
  const written = payloadKeys?.writes?.id;
  return ok(
    'payloads',
    written === undefined
      ? 'written in clear, readable in Temporal; TRAMITA_PAYLOAD_KEYS encrypts'
      : `encrypted with the key "${written}"`,
  );
}
