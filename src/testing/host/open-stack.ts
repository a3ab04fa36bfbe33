/** Starts sandbox, worker and bridge in this process, on servers of their own or in a cell of shared ones. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { API_KEYS, controlOf, startSandbox, type Sandbox } from '../../../sandbox/index.js';
import { createBridge, createSignalWake, type BridgeAccount } from '../../bridge/index.js';
import {
  loadTemporalConnection,
  resolveConfig,
  workerProblems,
  type Config,
  type TemporalConnection,
} from '../../config/index.js';
import { isJsonObject } from '../../contract/json.js';
import { createInbox } from '../../inbox/index.js';
import { writeProfile, type ServerContext, type Shutdown } from '../../local/index.js';
import { DEFAULT_ACCOUNT } from '../../protocol/index.js';
import { connect } from '../../store/index.js';
import { connectClient, createDataConverter } from '../../temporal-client/index.js';
import { createWorker } from '../../workers/index.js';
import type { FromHost, HostTask, StackFacts } from '../stack/messages.js';
import { openCell, type Cell } from './open-cell.js';
import { openServers } from './open-servers.js';
import { readRows } from './read-rows.js';

type StackTask = Extract<HostTask, { readonly kind: 'stack' }>;

const LOOPBACK = { host: '127.0.0.1', port: 0 };
/** A refresh in a test takes a moment, not seconds. */
const QUICK = { refreshMs: 200, pollAfterMs: 200, queryMs: 200 };

export async function openStack(
  context: ServerContext,
  task: StackTask,
): Promise<{ readonly facts: StackFacts; readonly readRows: () => Promise<FromHost> }> {
  const { stack, shutdown } = context;
  const secret = randomBytes(32).toString('hex');
  const idKey = randomBytes(32).toString('hex');
  const envOf = (cell: Cell, { url, documentsUrl }: SandboxAddresses): Readonly<Record<string, string>> => ({
    ...writeFiles(stack.folder, atSandbox(task.settings, url), cell),
    TEMPORAL_ADDRESS: cell.address,
    TEMPORAL_NAMESPACE: cell.namespace,
    TRAMITA_API_URL: url,
    TRAMITA_API_KEY: API_KEYS.works,
    TRAMITA_DATABASE_URL: cell.databaseUrl,
    TRAMITA_DOWNLOAD_HOSTS: documentsUrl,
    TRAMITA_ID_KEY: idKey,
    TRAMITA_WEBHOOKS: 'on',
    TRAMITA_WEBHOOK_SECRETS: secret,
    ...task.env,
  });
  // Wrong settings are refused now: the servers take seconds to start.
  readParts(envOf(SOME_CELL, SOME_SANDBOX), task);
  const [cell, sandbox] = await Promise.all([openPlace(context, task), startSandbox({ ...QUICK, ...task.sandbox })]);
  const env = envOf(cell, sandbox);
  const parts = readParts(env, task);
  const [bridgeUrl] = await Promise.all([
    openBridge(shutdown, { ...parts, secret }),
    task.worker ? openWorker(shutdown, parts) : undefined,
  ]);
  // Added last, so stopped first: a call that hangs because of a fault then does not delay the worker's end.
  shutdown.add({ name: 'the sandbox', stop: () => sandbox.close() });
  const webhook = { url: `${bridgeUrl}/webhooks`, secret: env['TRAMITA_WEBHOOK_SECRETS'] ?? secret };
  await controlOf(sandbox.controlUrl)('/webhook', webhook);
  const { url, documentsUrl, controlUrl } = sandbox;
  return {
    facts: { env, webhook, sandbox: { url, documentsUrl, controlUrl } },
    readRows: () => readRows(parts.config),
  };
}

type SandboxAddresses = Pick<Sandbox, 'url' | 'documentsUrl'>;

/** Stand in for what is not started yet, in settings that are only checked. */
const SOME_CELL: Cell = {
  address: '127.0.0.1:1',
  namespace: 'default',
  databaseUrl: 'postgresql://127.0.0.1:1/none',
};
const SOME_SANDBOX: SandboxAddresses = { url: 'http://127.0.0.1:1', documentsUrl: 'http://127.0.0.1:1' };

/** Throws an error that names every wrong setting. */
function readParts(env: Readonly<Record<string, string>>, { worker }: StackTask): Parts {
  const parts = { config: resolveConfig({ env }), temporal: loadTemporalConnection(env) };
  const problems = worker ? workerProblems(parts.config) : [];
  if (problems.length > 0) throw new Error(problems.map((problem) => `tramita: ${problem}`).join('\n'));
  return parts;
}

/** The namespace and the database: `default` and the only database on servers of our own, else a cell. */
async function openPlace(context: ServerContext, { servers }: StackTask): Promise<Cell> {
  if (servers !== undefined) return openCell(context, servers);
  const { temporalAddress, databaseUrl } = await openServers(context, { isShared: false });
  return { address: temporalAddress, namespace: 'default', databaseUrl };
}

/** Gives accounts without address the sandbox's, which is known only now; `default` gets it from its variable. */
function atSandbox(settings: StackTask['settings'], apiUrl: string): StackTask['settings'] {
  const { accounts } = settings;
  if (!isJsonObject(accounts)) return settings;
  const placed = Object.entries(accounts).map(([name, account]) => [
    name,
    name === DEFAULT_ACCOUNT || !isJsonObject(account) ? account : { apiUrl, ...account },
  ]);
  return { ...settings, accounts: Object.fromEntries(placed) as unknown };
}

function writeFiles(
  folder: string,
  settings: StackTask['settings'],
  cell: Cell,
): Readonly<Record<'TEMPORAL_CONFIG_FILE' | 'TRAMITA_CONFIG' | 'TRAMITA_FILES_DIR', string>> {
  const config = join(folder, 'tramita.json');
  const files = join(folder, 'files');
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  mkdirSync(files, { recursive: true });
  return { TEMPORAL_CONFIG_FILE: writeProfile(folder, cell), TRAMITA_CONFIG: config, TRAMITA_FILES_DIR: files };
}

interface Parts {
  readonly config: Config;
  readonly temporal: TemporalConnection;
}

async function openWorker(shutdown: Shutdown, parts: Parts): Promise<void> {
  const worker = await createWorker({ ...parts, log: logTo('worker') });
  const running = worker.run().then(
    () => shutdown.request('the worker has ended'),
    (error: unknown) => shutdown.request(`the worker has failed: ${String(error)}`),
  );
  shutdown.add({
    name: 'the worker',
    stop: async () => {
      worker.shutdown();
      await running;
    },
  });
}

async function openBridge(
  shutdown: Shutdown,
  { config, temporal, secret }: Parts & { readonly secret: string },
): Promise<string> {
  const log = logTo('bridge');
  const url = config.databaseUrl ?? '';
  const db = connect({
    url,
    applicationName: 'tramita-bridge',
    max: 5,
    onIdleError: (code) => log.warn({ code }, 'idle database connection lost'),
  });
  const connection = connectClient(temporal);
  shutdown.add({
    name: 'the connections of the bridge',
    stop: async () => {
      await Promise.all([connection.close(), db.destroy()]);
    },
  });
  const bridge = await createBridge({
    listen: LOOPBACK,
    opsListen: LOOPBACK,
    log,
    clock: Date.now,
    accounts: Object.fromEntries(
      Object.entries(config.accounts).map(([name, account]) => [name, guardOf(account, secret)]),
    ),
    inbox: createInbox({ db, clock: Date.now }),
    signalWake: createSignalWake(
      new Client({ connection, namespace: temporal.namespace, dataConverter: createDataConverter(temporal) }),
    ),
  });
  shutdown.add({ name: 'the bridge', stop: bridge.close });
  return bridge.url;
}

/** An account that the test added has no secret, so it gets the one of the stack. */
function guardOf(
  { webhookSecrets, webhookTokens: tokens, webhookSecretForm: secretForm }: Config['accounts'][string],
  secret: string,
): BridgeAccount {
  return { secrets: webhookSecrets.length > 0 ? webhookSecrets : [secret], tokens, secretForm };
}

/** JSON lines on stderr, which is the host's log. */
function logTo(program: string): Parameters<typeof createWorker>[0]['log'] {
  const write = (level: string) => (fields: object, message: string) => {
    process.stderr.write(`${JSON.stringify({ program, level, message, ...fields })}\n`);
  };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}
