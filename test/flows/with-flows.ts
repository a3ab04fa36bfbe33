/**
 * One test file's world: a database of its own, a sandbox on loopback, a worker in this process on a task queue of its own,
 * and a client, all against the run's real Temporal server. Closed in reverse order when the file ends.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, ServiceError, type Connection, type WorkflowHandle } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { Runtime } from '@temporalio/worker';
import { sql } from 'kysely';
import { createTokens, loadTemporalConnection, resolveConfig, type Config } from '../../src/config/index.js';
import { present } from '../../src/contract/values/index.js';
import type { Progress, RefreshCaseInput, RefreshCaseResult } from '../../src/protocol/index.js';
import { startRefreshCase, type FlowHandle, type StarterDeps, type StartOptions } from '../../src/starters/index.js';
import { connectClient, createDataConverter } from '../../src/temporal-client/index.js';
import { createWorker, type TramitaWorker } from '../../src/workers/index.js';
import {
  controlOf,
  startSandbox,
  type Charge,
  type Control,
  type ReceivedRequest,
  type Sandbox,
  type SandboxOptions,
} from '../../sandbox/index.js';
import { createProxy, type Proxy } from '../../soak/wire.js';
import { withDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';
import { builtWith, type Exchanged } from './kept-bundle.js';

export interface FlowsOptions {
  readonly sandbox?: SandboxOptions;
  /** Environment on top of the defaults. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Settings of account `default`, as in the file named by TRAMITA_CONFIG. Without `outageAfter` no outage is ever detected,
   * because the faults of one test must not hold the calls of the next. Polls are not slowed either.
   */
  readonly account?: Readonly<Record<string, unknown>>;
  /** Other members of that file, e.g. `gaps`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** False: no worker is started here; the file starts its own. */
  readonly worker?: boolean;
  /** True: flows ask for a person after a minute, as installed. Otherwise at once, so that tests need not wait. */
  readonly asksAfterAMinute?: boolean;
  /** True: the worker reaches its database through a proxy; see {@link Flows.takeDatabaseAway}. */
  readonly wired?: boolean;
  /** `TRAMITA_PAYLOAD_KEYS` of client and workers; by default those of `npm run test:encrypted`. */
  readonly payloadKeys?: string;
  /** The file's own namespace, for tests that look at every run in it. Default: `default`. */
  readonly namespace?: string;
}

export interface Flows {
  readonly client: Client;
  readonly sandbox: Sandbox;
  readonly config: Config;
  /** The environment of a program of this file: the settings of its worker and the address of the server. */
  readonly env: Readonly<Record<string, string>>;
  readonly database: TestDatabase;
  readonly atEnd: TestDatabase['atEnd'];
  readonly taskQueue: string;
  readonly logs: readonly string[];
  /** The first argument of the typed starters. */
  readonly deps: StarterDeps;
  /** Starts `refreshCase` through the typed starter. */
  refresh(input: RefreshCaseInput, options?: StartOptions): Promise<FlowHandle<RefreshCaseResult>>;
  /** Starts as plain JSON, the way any language does. */
  startPlain(type: string, input: unknown, workflowId?: string): Promise<WorkflowHandle>;
  progress(workflowId: string): Promise<Progress>;
  /** Resets the given run, or else the latest one, to its first task. Returns the handle of the new run. */
  resetToFirstTask(run: { readonly workflowId: string; readonly runId?: string }): Promise<WorkflowHandle>;
  /** Resets to another task of the run, counted as in `Array.at`. */
  resetToTask(run: { readonly workflowId: string; readonly runId?: string }, at: number): Promise<WorkflowHandle>;
  /** Waits until the flow is parked and returns its progress. */
  parked(workflowId: string, withinMs?: number): Promise<Progress>;
  /** Waits until `waitingFor` of the flow matches, or else until its state is `waiting`. */
  waiting(workflowId: string, what?: RegExp): Promise<void>;
  /** All charges, or those of a case, or of an operation. */
  charges(of?: { readonly cnj?: string | undefined; readonly operation?: string }): Promise<readonly Charge[]>;
  requests(operation?: string): Promise<readonly ReceivedRequest[]>;
  /** Calls the service with our key, but outside any flow; returns the request id of its answer. */
  post(path: string, body?: object): Promise<string>;
  /** The request id of the first step, once it has one. */
  requestIdOf(workflowId: string): Promise<string>;
  /** The operations that are charged during `run`. */
  paid(run: () => Promise<unknown>): Promise<readonly string[]>;
  fault(fault: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * The next refresh of this case is charged and its answer is lost. Its flow parks and stays parked, because no look for free
   * evidence finds anything. With `looks`, so many find nothing: a parked flow looks again by itself after 20 s, then ever later.
   */
  loseRefresh(cnj: string, looks?: number): Promise<void>;
  readonly control: Control;
  /** Starts a worker with these settings on top of the file's own, and with these files of the flows replaced. */
  startWorker(more?: Readonly<Record<string, string>>, exchanged?: Exchanged): Promise<TramitaWorker>;
  /** Cuts a `wired` worker off its database: connections are reset and new ones refused. The tests keep their own. */
  takeDatabaseAway(): void;
  bringDatabaseBack(): void;
}

/** More times than a flow looks. */
const ALWAYS = 1_000_000;

const ASKS_AT_ONCE: Exchanged = { './asks-after.js$': join(__dirname, 'asks-at-once.ts') };

const QUIET = { log: quiet, trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet };

export function withFlows(options: FlowsOptions = {}): Flows {
  const database = withDatabase();
  const taskQueue = `tramita-${randomBytes(4).toString('hex')}`;
  const logs: string[] = [];
  const parts: Partial<{ client: Client; sandbox: Sandbox; config: Config; env: Record<string, string>; wire: Proxy }> =
    {};
  const get = <K extends keyof typeof parts>(name: K): NonNullable<(typeof parts)[K]> => {
    const part = parts[name];
    if (part === undefined) throw new Error(`withFlows: use ${name} inside tests and hooks only`);
    return part;
  };

  const flows: Flows = {
    get client() {
      return get('client');
    },
    get sandbox() {
      return get('sandbox');
    },
    get config() {
      return get('config');
    },
    get env() {
      return get('env');
    },
    get deps() {
      return { client: flows.client, taskQueue, token: createTokens(flows.env['TRAMITA_ID_KEY'] ?? '').token };
    },
    database,
    atEnd: database.atEnd,
    taskQueue,
    logs,
    refresh: (input, start) => startRefreshCase(flows.deps, input, start),
    startPlain: (type, input, workflowId = `plain-${randomBytes(6).toString('hex')}`) =>
      flows.client.workflow.start(type, { taskQueue, workflowId, args: input === undefined ? [] : [input] }),
    // A paused worker, or a server with too many queries, answers with a temporary error.
    progress: (workflowId) =>
      until(() => flows.client.workflow.getHandle(workflowId).query<Progress>('progress').catch(ignoreTemporary), {
        everyMs: 200,
        what: `${workflowId} to answer`,
      }),
    resetToFirstTask: (run) => flows.resetToTask(run, 0),
    // Through the raw service: the client has no method for it.
    resetToTask: async ({ workflowId, runId }, at) => {
      const { workflow, workflowService, options: connected } = flows.client;
      const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
      const tasks = events?.filter(({ workflowTaskCompletedEventAttributes: completed }) => completed ?? false);
      const answer = await workflowService.resetWorkflowExecution({
        namespace: connected.namespace,
        workflowExecution: { workflowId, runId: runId ?? (await workflow.getHandle(workflowId).describe()).runId },
        reason: 'test',
        requestId: randomUUID(),
        workflowTaskFinishEventId: tasks?.at(at)?.eventId ?? null,
      });
      return workflow.getHandle(workflowId, answer.runId);
    },
    parked: (workflowId, withinMs = 100_000) =>
      until(
        async () => {
          const progress = await flows.progress(workflowId);
          return progress.state === 'parked' ? progress : undefined;
        },
        { withinMs, what: `${workflowId} to park` },
      ),
    waiting: async (workflowId, what) => {
      await until(
        async () => {
          const { state, waitingFor } = await flows.progress(workflowId);
          return what === undefined ? state === 'waiting' : what.test(waitingFor ?? '');
        },
        { what: `${workflowId} to wait${what === undefined ? '' : ` for ${String(what)}`}` },
      );
    },
    charges: async ({ cnj, operation } = {}) =>
      (await flows.control<{ charges: Charge[] }>('/charges')).charges.filter(
        (charge) =>
          (cnj === undefined || charge.subject.cnj === cnj) &&
          (operation === undefined || charge.operation === operation),
      ),
    requests: async (operation) =>
      (await flows.control<{ requests: ReceivedRequest[] }>('/requests')).requests.filter(
        (request) => operation === undefined || request.operation === operation,
      ),
    post: async (path, body = {}) => {
      const headers = { 'x-api-key': 'sandbox-key', 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = (await (await fetch(`${flows.sandbox.url}/v1/${path}`, init)).json()) as {
        data: { requestId: string };
      };
      return answer.data.requestId;
    },
    requestIdOf: (workflowId) =>
      until(async () => (await flows.progress(workflowId)).steps[0]?.requestId ?? undefined, {
        what: 'the request id',
      }),
    paid: async (run) => {
      const before = (await flows.charges()).length;
      await run();
      return (await flows.charges()).slice(before).map(({ operation }) => operation);
    },
    fault: async (fault) => {
      await flows.control('/faults', fault);
    },
    loseRefresh: async (cnj, looks = ALWAYS) => {
      await flows.fault({ operation: 'requestRefresh', fault: 'F4', cnj });
      const fault = { operation: 'getRefreshStatus', fault: 'status', status: 503, body: 'gateway', times: looks };
      await flows.fault({ ...fault, cnj });
    },
    control: (path, body) => controlOf(flows.sandbox.controlUrl)(path, body),
    startWorker: async (more = {}, exchanged = {}) => {
      const own = options.asksAfterAMinute === true ? {} : ASKS_AT_ONCE;
      const env = { ...flows.env, ...more };
      const config = resolveConfig({ env });
      const server = temporal(env['TRAMITA_PAYLOAD_KEYS'], options.namespace);
      const workerOptions = await builtWith({ ...own, ...exchanged }, config, server);
      const worker = await createWorker({ config, log: logTo(logs), temporal: server, workerOptions });
      const running = worker.run();
      database.atEnd(async () => {
        worker.shutdown();
        await running;
      });
      return worker;
    },
    takeDatabaseAway: () => get('wire').lead(undefined),
    bringDatabaseBack: () => get('wire').lead(new URL(database.url).host),
  };

  /** Returns the address under which the worker reaches its database. */
  const openDatabase = async (): Promise<string> => {
    if (options.wired !== true) return database.url;
    const url = new URL(database.url);
    const wire = await createProxy(url.host);
    database.atEnd(() => wire.close());
    parts.wire = wire;
    url.host = wire.address;
    return url.href;
  };

  beforeAll(async () => {
    installRuntime();
    // In a ledger that is seconds old, a missing row does not prove that nothing was sent. An installation's ledger is older.
    await sql`update tramita.ledger_life set begun_at = begun_at - interval '1 minute'`.execute(database.db);
    const filesDir = mkdtempSync(join(tmpdir(), 'tramita-flows-'));
    database.atEnd(async () => rm(filesDir, { recursive: true, force: true }));
    const settings = join(filesDir, 'settings.json');
    writeFileSync(
      settings,
      JSON.stringify({
        accounts: { default: { outageAfter: 0, pollsPerMinute: 60_000, ...options.account } },
        ...options.settings,
      }),
    );
    const sandbox = await startSandbox({ refreshMs: 300, pollAfterMs: 200, ...options.sandbox });
    database.atEnd(() => sandbox.close());
    const server = temporal(options.payloadKeys, options.namespace);
    const env = {
      TEMPORAL_ADDRESS: server.address,
      ...present({ TEMPORAL_NAMESPACE: options.namespace }),
      TRAMITA_API_URL: sandbox.url,
      TRAMITA_API_KEY: 'sandbox-key',
      TRAMITA_DATABASE_URL: await openDatabase(),
      TRAMITA_TASK_QUEUE: taskQueue,
      // Each file has its own key, so that ids with tokens (`call.…`, `pages.…`) do not collide with those of other files.
      TRAMITA_ID_KEY: `id-key-of-the-tests-${taskQueue}`,
      TRAMITA_FILES_DIR: filesDir,
      TRAMITA_DOWNLOAD_HOSTS: sandbox.documentsUrl,
      TRAMITA_CONFIG: settings,
      ...present({ TRAMITA_PAYLOAD_KEYS: options.payloadKeys ?? process.env['TRAMITA_TEST_PAYLOAD_KEYS'] }),
      ...options.env,
    };
    const connection = connectClient(server);
    database.atEnd(() => connection.close());
    if (options.namespace !== undefined) await addNamespace(connection, options.namespace);
    const { namespace } = server;
    const client = new Client({ connection, namespace, dataConverter: createDataConverter(server) });
    Object.assign(parts, { sandbox, env, config: resolveConfig({ env }), client });
    if (options.worker !== false) await flows.startWorker();
  });

  return flows;
}

export function temporal(
  payloadKeys = process.env['TRAMITA_TEST_PAYLOAD_KEYS'],
  namespace?: string,
): ReturnType<typeof loadTemporalConnection> {
  const { TRAMITA_TEST_TEMPORAL_ADDRESS: address = '127.0.0.1:7233' } = process.env;
  return loadTemporalConnection({
    TEMPORAL_ADDRESS: address,
    TRAMITA_PAYLOAD_KEYS: payloadKeys,
    TEMPORAL_NAMESPACE: namespace,
  });
}

/** Adds a namespace and waits until it can be used, which takes the server some seconds. */
export async function addNamespace(connection: Connection, namespace: string): Promise<void> {
  const workflowExecutionRetentionPeriod = msToTs('1 day');
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  const client = new Client({ connection, namespace });
  await until(
    () =>
      client.workflow.count().then(
        () => true,
        () => undefined,
      ),
    { what: `namespace ${namespace}` },
  );
}

function installRuntime(): void {
  try {
    Runtime.install({ logger: QUIET });
  } catch {
    // Installed by an earlier file of this process.
  }
}

function logTo(logs: string[]): Parameters<typeof createWorker>[0]['log'] {
  const write = (level: string) => (fields: object, message: string) => {
    logs.push(`${level} ${message} ${JSON.stringify(fields)}`);
  };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/** Returns undefined for a temporary error, so that the query is repeated. */
function ignoreTemporary(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
}

function quiet(): void {
  // These tests do not read the SDK's own log.
}
