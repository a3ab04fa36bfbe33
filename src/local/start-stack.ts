/**
 * The whole local stack of one folder (design 3): Temporal, PostgreSQL with the schema, the sandbox, a worker and a bridge
 * as processes of their own. Composition only; how each server is found and started is told in the files beside. What it
 * starts is added to the caller's shutdown, so that everything stops when the caller ends, fails or is interrupted.
 */
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { loadTemporalConnection } from '../config/index.js';
import { DEFAULT_TASK_QUEUE, SEARCH_ATTRIBUTES } from '../protocol/index.js';
import { migrate } from '../store/index.js';
import { buildChildEnv } from './child-env.js';
import { controlSandbox, type SandboxControl } from './control-sandbox.js';
import { findTemporalServer } from './find-temporal-server.js';
import { keepPorts } from './keep-ports.js';
import { keepSecret } from './local-secrets.js';
import { packageRoot } from './package-root.js';
import { startPostgres } from './postgres.js';
import type { OnProgress } from './progress.js';
import { decidePostgresSource, decideTemporalSource } from './server-source.js';
import { claimStack, type Stack } from './stack.js';
import { superviseProcess } from './supervise-process.js';
import { startTemporalServer } from './temporal-server.js';
import type { Shutdown } from './with-shutdown.js';

/** A worker waits for charged calls in flight; in the local stack no longer than this. */
const STOP_GRACE_MS = 20_000;
const READY_ANSWER_WITHIN_MS = 2_000;
const CONNECT_WITHIN_MS = 5_000;

/** The sandbox's key that works (sandbox/keys.ts). A toy: it opens nothing but the sandbox. */
export const SANDBOX_KEY = 'sandbox-key';

export interface StartStackOptions {
  /** The stack lives in `<root>/.tramita`. */
  readonly root: string;
  /** `TEMPORAL_ADDRESS` and `TRAMITA_DATABASE_URL` in it: use these servers, start none (design 3). */
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly shutdown: Shutdown;
}

export interface TemporalPlace {
  readonly address: string;
  /** Absent where the server was running already: its UI is not ours to know. */
  readonly uiUrl?: string;
  /** How to call the command line tool: its name where it is on PATH, else its path. Absent with {@link uiUrl}. */
  readonly tool?: string;
}

export interface LocalStack {
  readonly folder: string;
  readonly temporal: TemporalPlace;
  /** With its password, which is the local one. */
  readonly databaseUrl: string;
  readonly taskQueue: string;
  readonly sandbox: { readonly url: string; readonly documentsUrl: string; readonly control: SandboxControl };
  readonly bridgeUrl: string;
  readonly filesDir: string;
  /** What another terminal needs for the commands of this package. */
  readonly clientEnv: Readonly<Record<string, string>>;
  /** {@link clientEnv} over the caller's own environment, without what must not reach a local stack. */
  readonly commandEnv: NodeJS.ProcessEnv;
}

export async function startStack({ root, env, onProgress, shutdown }: StartStackOptions): Promise<LocalStack> {
  const programs = findPrograms();
  const stack = await claimStack({ root, onProgress });
  shutdown.add({ name: 'stack record', stop: stack.release });
  const failed = new AbortController();
  const signal = AbortSignal.any([shutdown.signal, failed.signal]);
  const context: Context = { stack, env, onProgress, shutdown, programs, signal };
  const ports = await keepPorts({
    file: join(stack.folder, 'ports.json'),
    names: ['sandbox', 'documents', 'bridge', 'bridgeOps', 'workerOps'] as const,
  });

  const [temporal, database, sandbox] = await allOrFirstError(failed, [
    getTemporal(context),
    getDatabase(context),
    startSandboxProgram(context, ports),
  ]);
  const keepTemporal = decideTemporalSource(env).kind === 'running';
  const temporalEnv = {
    TEMPORAL_ADDRESS: temporal.address,
    ...(keepTemporal ? {} : { TEMPORAL_CONFIG_FILE: writeProfile(stack, temporal.address) }),
  };
  const clientEnv = {
    ...temporalEnv,
    TRAMITA_TASK_QUEUE: keepTemporal ? foreignTaskQueue(stack) : DEFAULT_TASK_QUEUE,
    TRAMITA_DATABASE_URL: database.url,
    TRAMITA_ID_KEY_FILE: secretFile(stack, 'id-key'),
    TRAMITA_API_URL: sandbox.url,
    TRAMITA_API_KEY: SANDBOX_KEY,
    TRAMITA_FILES_DIR: join(stack.folder, 'files'),
  };
  keepSecret(clientEnv.TRAMITA_ID_KEY_FILE);
  const bridgeUrl = `http://127.0.0.1:${ports.bridge}`;
  const webhookSecretFile = secretFile(stack, 'webhook-secret');
  const webhookSecret = keepSecret(webhookSecretFile);

  await allOrFirstError(failed, [
    startProgram(context, {
      name: 'worker',
      args: [programs.cli, 'worker'],
      env: buildChildEnv({
        env,
        keepTemporal,
        ours: {
          ...clientEnv,
          TRAMITA_WEBHOOKS: 'on',
          TRAMITA_DOWNLOAD_HOSTS: sandbox.documentsUrl,
          TRAMITA_WORKER_OPS_LISTEN: `127.0.0.1:${ports.workerOps}`,
        },
      }),
      isReady: () => isOk(`http://127.0.0.1:${ports.workerOps}/readyz`),
    }),
    startProgram(context, {
      name: 'bridge',
      args: [programs.cli, 'bridge'],
      env: buildChildEnv({
        env,
        keepTemporal,
        ours: {
          ...temporalEnv,
          TRAMITA_BRIDGE_DATABASE_URL: database.bridgeUrl,
          TRAMITA_WEBHOOK_SECRETS_FILE: webhookSecretFile,
          TRAMITA_BRIDGE_LISTEN: `127.0.0.1:${ports.bridge}`,
          TRAMITA_BRIDGE_OPS_LISTEN: `127.0.0.1:${ports.bridgeOps}`,
        },
      }),
      isReady: () => isOk(`http://127.0.0.1:${ports.bridgeOps}/readyz`),
    }),
    sandbox.control.setWebhook({ url: `${bridgeUrl}/webhooks`, secret: webhookSecret }),
  ]);
  stack.recordAddresses({ temporal: temporal.address, bridge: bridgeUrl, sandbox: sandbox.url });
  return {
    folder: stack.folder,
    temporal,
    databaseUrl: database.url,
    taskQueue: clientEnv.TRAMITA_TASK_QUEUE,
    sandbox,
    bridgeUrl,
    filesDir: clientEnv.TRAMITA_FILES_DIR,
    clientEnv,
    commandEnv: buildChildEnv({ env, keepTemporal, ours: clientEnv }),
  };
}

interface Context {
  readonly stack: Stack;
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly shutdown: Shutdown;
  readonly programs: { readonly cli: string; readonly sandbox: string };
  /** Aborted when the caller ends, and when one of the parts fails. */
  readonly signal: AbortSignal;
}

async function getTemporal({ stack, env, onProgress, shutdown, signal }: Context): Promise<TemporalPlace> {
  const source = decideTemporalSource(env);
  if (source.kind === 'running') {
    onProgress({ about: 'temporal', kind: 'decision', text: `using the server at ${source.address}: ${source.why}` });
    await refuseAbsentTemporal(env);
    return { address: source.address };
  }
  const { executable, source: origin } = await findTemporalServer({ env, onProgress, signal });
  const temporal = await startTemporalServer({
    executable,
    dataDir: stack.dataDir('temporal'),
    logFile: stack.logFile('temporal'),
    env,
    signal,
    searchAttributes: Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 'Keyword'])),
    onSpawn: (identity) => stack.recordProcess({ name: 'temporal', identity }),
    onExit: ({ name, how, logFile }) => shutdown.request(`${name} ended (${how}); its log is ${logFile}`),
  });
  shutdown.add(temporal);
  onProgress({ about: 'temporal', kind: 'step', text: `runs at ${temporal.address}` });
  return { address: temporal.address, uiUrl: temporal.uiUrl, tool: origin === 'path' ? 'temporal' : executable };
}

/** A database that was given keeps its roles as they are: only our own gets the bridge's login. */
async function getDatabase(context: Context): Promise<{ readonly url: string; readonly bridgeUrl: string }> {
  const { stack, env, onProgress, shutdown } = context;
  const say = (kind: 'decision' | 'step', text: string): void => onProgress({ about: 'postgres', kind, text });
  const source = decidePostgresSource(env);
  if (source.kind === 'running') {
    say('decision', `using the database of TRAMITA_DATABASE_URL: ${source.why}`);
    await migrateAndSay(source.address, undefined, say).catch((error: unknown) => {
      const { code, name } = error as { readonly code?: string; readonly name?: string };
      throw new Error(
        `tramita: the database of TRAMITA_DATABASE_URL cannot be used (${code ?? name ?? 'unknown error'}); start it, or unset the variable to get a local one`,
      );
    });
    return { url: source.address, bridgeUrl: env['TRAMITA_BRIDGE_DATABASE_URL'] ?? source.address };
  }
  const postgres = await startPostgres({
    dataDir: stack.dataDir('postgres'),
    logFile: stack.logFile('postgres'),
    env,
    onProgress,
    onSpawn: (identity) => stack.recordProcess({ name: 'postgres', identity, stopSignal: 'SIGINT' }),
  });
  shutdown.add({ name: 'PostgreSQL', ...postgres });
  const bridgeUrl = new URL(postgres.url);
  bridgeUrl.username = 'tramita_bridge';
  bridgeUrl.password = keepSecret(secretFile(stack, 'bridge-password'));
  await migrateAndSay(postgres.url, bridgeUrl.href, say);
  return { url: postgres.url, bridgeUrl: bridgeUrl.href };
}

async function migrateAndSay(
  url: string,
  bridgeUrl: string | undefined,
  say: (kind: 'step', text: string) => void,
): Promise<void> {
  const applied = await migrate(url, bridgeUrl === undefined ? {} : { bridgeUrl });
  if (applied.length > 0) say('step', `migrations applied: ${applied.join(', ')}`);
}

/** Its book of charges is kept beside our ledger, so that both tell the same story after a restart. */
async function startSandboxProgram(
  context: Context,
  ports: { readonly sandbox: number; readonly documents: number },
): Promise<LocalStack['sandbox']> {
  const documentsUrl = `http://127.0.0.1:${ports.documents}`;
  const control = controlSandbox(`${documentsUrl}/__control`);
  await startProgram(context, {
    name: 'sandbox',
    args: [
      context.programs.sandbox,
      ...['--port', String(ports.sandbox), '--documents-port', String(ports.documents)],
      ...['--data-dir', context.stack.dataDir('sandbox')],
    ],
    env: buildChildEnv({ env: context.env, keepTemporal: false, ours: {} }),
    isReady: () => isOk(`${documentsUrl}/__control/clock`),
  });
  return { url: `http://127.0.0.1:${ports.sandbox}`, documentsUrl, control };
}

async function startProgram(
  { stack, shutdown, onProgress, signal }: Context,
  program: {
    readonly name: string;
    readonly args: readonly string[];
    readonly env: NodeJS.ProcessEnv;
    readonly isReady: () => Promise<boolean>;
  },
): Promise<void> {
  const { name } = program;
  const started = await superviseProcess({
    ...program,
    command: process.execPath,
    logFile: stack.logFile(name),
    stopGraceMs: STOP_GRACE_MS,
    signal,
    onSpawn: (identity) => stack.recordProcess({ name, identity }),
    onExit: ({ how, logFile }) => shutdown.request(`the ${name} ended (${how}); its log is ${logFile}`),
  });
  shutdown.add({ ...started, name: `the ${name}` });
  onProgress({ about: 'stack', kind: 'step', text: `the ${name} is ready` });
}

function findPrograms(): Context['programs'] {
  const dist = join(packageRoot(), 'dist');
  const programs = { cli: join(dist, 'src', 'cli', 'main.js'), sandbox: join(dist, 'sandbox', 'main.js') };
  for (const file of Object.values(programs)) {
    if (!existsSync(file)) throw new Error(`tramita: ${file} is missing; run \`npm run build\` first`);
  }
  return programs;
}

function secretFile(stack: Stack, name: string): string {
  return join(stack.folder, 'secrets', name);
}

async function isOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(READY_ANSWER_WITHIN_MS) })).ok;
  } catch {
    return false;
  }
}

async function refuseAbsentTemporal(env: NodeJS.ProcessEnv): Promise<void> {
  const { address, connectionOptions } = loadTemporalConnection(env);
  try {
    await (await Connection.connect({ ...connectionOptions, connectTimeout: CONNECT_WITHIN_MS })).close();
  } catch {
    throw new Error(
      `tramita: no Temporal server answers at ${address}; start it, or unset TEMPORAL_ADDRESS to get a local one`,
    );
  }
}

/** On a server that others use as well, a worker of theirs must never take our flows: it would call, and pay, the real service. */
function foreignTaskQueue(stack: Stack): string {
  return `${DEFAULT_TASK_QUEUE}-local-${createHash('sha256').update(stack.folder).digest('hex').slice(0, 8)}`;
}

/** So that a profile of the user's own (a cloud namespace, its key) has no say about the local server. */
function writeProfile(stack: Stack, address: string): string {
  const file = join(stack.folder, 'temporal.toml');
  writeFileSync(file, `[profile.default]\naddress = "${address}"\nnamespace = "default"\n`);
  return file;
}

/**
 * Tells the others when one fails, and waits for all of them: a part that is still starting must be among those that are
 * stopped afterwards. Throws the first failure, not what it caused.
 */
async function allOrFirstError<T extends readonly Promise<unknown>[]>(
  failed: AbortController,
  parts: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  for (const part of parts) part.catch((error: unknown) => failed.abort(error));
  const settled = await Promise.allSettled(parts);
  if (failed.signal.aborted) throw failed.signal.reason;
  return settled.map((part) => (part as PromiseFulfilledResult<unknown>).value) as never;
}
