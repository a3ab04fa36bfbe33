/**
 * The whole local stack of one folder: Temporal, PostgreSQL with the schema, the sandbox, a worker and a bridge
 * as processes of their own. Composition only; other files find and start each server. Every part is added to the
 * caller's shutdown, so that everything stops when the caller ends, fails or is interrupted.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { baseUrlFingerprint } from '../../config/index.js';
import { present } from '../../contract/index.js';
import { DEFAULT_ACCOUNT, DEFAULT_TASK_QUEUE } from '../../protocol/index.js';
import { connect, moveBaseUrl } from '../../store/index.js';
import { buildChildEnv, findPrograms, isOk, startProgram, startSandboxProgram } from './start-programs.js';
import type { SandboxControl } from './control-sandbox.js';
import { ignoredKeys, keepEncryption } from './encryption.js';
import { getDatabase } from './get-database.js';
import { getTemporal, type TemporalPlace } from './get-temporal.js';
import { keepPorts } from '../process/free-port.js';
import { keepSecret, secretFile, variableIn, writeProfile, type StackContext } from './stack-context.js';
import type { OnProgress } from '../process/progress.js';
import { claimStack, type Stack } from './stack.js';
import type { Shutdown } from './with-shutdown.js';

/** A valid key of the sandbox (sandbox/keys.ts). It opens nothing but the sandbox. */
const SANDBOX_KEY = 'sandbox-key';

export interface StartStackOptions {
  /** The stack lives in `<root>/.tramita`. */
  readonly root: string;
  /** `TEMPORAL_ADDRESS` and `TRAMITA_DATABASE_URL` in it: use these servers, start none. */
  readonly env: NodeJS.ProcessEnv;
  readonly onProgress: OnProgress;
  readonly shutdown: Shutdown;
  /** Payloads are encrypted, and a codec server shows them in the UI. A folder that has begun to encrypt keeps encrypting. */
  readonly encrypted: boolean;
}

export interface LocalStack {
  readonly folder: string;
  readonly temporal: TemporalPlace;
  readonly taskQueue: string;
  readonly sandbox: { readonly url: string; readonly documentsUrl: string; readonly control: SandboxControl };
  readonly bridgeUrl: string;
  /** Where encrypted payloads are decoded, and the file with the token for it; absent: payloads are in clear. */
  readonly codec?: { readonly url: string; readonly tokenFile: string };
  readonly filesDir: string;
  /** What another terminal needs for the commands of this package. */
  readonly clientEnv: Readonly<Record<string, string>>;
  /** {@link clientEnv} over the caller's own environment, without what must not reach a local stack. */
  readonly commandEnv: NodeJS.ProcessEnv;
}

export async function startStack(options: StartStackOptions): Promise<LocalStack> {
  const { root, env, onProgress, shutdown, encrypted } = options;
  const programs = findPrograms();
  const stack = await claimStack({ root, onProgress });
  shutdown.add({ name: 'stack record', stop: stack.release });
  const failed = new AbortController();
  const signal = AbortSignal.any([shutdown.signal, failed.signal]);
  const context: StackContext = { stack, env, onProgress, shutdown, programs, signal };
  const names = ['sandbox', 'documents', 'bridge', 'bridgeOps', 'workerOps', 'codec'] as const;
  const ports = await keepPorts(join(stack.folder, 'ports.json'), names);

  const encryption = keepEncryption(stack, encrypted);
  const ignored = ignoredKeys(env, encryption);
  if (ignored !== undefined) onProgress({ about: 'stack', kind: 'decision', text: ignored });
  const codecUrl = `http://127.0.0.1:${ports.codec}`;

  const [temporal, database, sandbox] = await allOrFirstError(failed, [
    getTemporal(context, encryption === undefined ? undefined : codecUrl),
    getDatabase(context),
    startSandboxProgram(context, ports),
  ]);
  const keepTemporal = variableIn(env, 'TEMPORAL_ADDRESS') !== undefined;
  const temporalEnv = {
    TEMPORAL_ADDRESS: temporal.address,
    ...(keepTemporal
      ? {}
      : { TEMPORAL_CONFIG_FILE: writeProfile(stack.folder, { address: temporal.address, namespace: 'default' }) }),
  };
  const clientEnv = {
    ...temporalEnv,
    TRAMITA_TASK_QUEUE: keepTemporal ? foreignTaskQueue(stack) : DEFAULT_TASK_QUEUE,
    TRAMITA_DATABASE_URL: database.url,
    TRAMITA_ID_KEY_FILE: secretFile(stack, 'id-key'),
    TRAMITA_API_URL: sandbox.url,
    TRAMITA_API_KEY: SANDBOX_KEY,
    TRAMITA_FILES_DIR: join(stack.folder, 'files'),
    ...encryption?.env,
  };
  const idKey = keepSecret(clientEnv.TRAMITA_ID_KEY_FILE);
  if (variableIn(env, 'TRAMITA_DATABASE_URL') === undefined) {
    await followSandbox(database.url, { idKey, apiUrl: sandbox.url });
  }
  const bridgeUrl = `http://127.0.0.1:${ports.bridge}`;
  const webhookSecretFile = secretFile(stack, 'webhook-secret');
  const webhookSecret = keepSecret(webhookSecretFile);

  const start = (name: string, opsPort: number, ours: Readonly<Record<string, string>>): Promise<void> =>
    startProgram(context, {
      name,
      args: [programs.cli, name],
      env: buildChildEnv({ env, keepTemporal, ours }),
      isReady: () => isOk(`http://127.0.0.1:${opsPort}/readyz`),
    });
  await allOrFirstError(failed, [
    start('worker', ports.workerOps, {
      ...clientEnv,
      TRAMITA_WEBHOOKS: 'on',
      TRAMITA_DOWNLOAD_HOSTS: sandbox.documentsUrl,
      ...present({ TRAMITA_NEXUS: env['TRAMITA_NEXUS'] }),
      TRAMITA_WORKER_OPS_LISTEN: `127.0.0.1:${ports.workerOps}`,
    }),
    start('bridge', ports.bridgeOps, {
      ...temporalEnv,
      ...encryption?.env,
      TRAMITA_BRIDGE_DATABASE_URL: database.bridgeUrl,
      TRAMITA_WEBHOOK_SECRETS_FILE: webhookSecretFile,
      TRAMITA_BRIDGE_LISTEN: `127.0.0.1:${ports.bridge}`,
      TRAMITA_BRIDGE_OPS_LISTEN: `127.0.0.1:${ports.bridgeOps}`,
    }),
    ...(encryption === undefined
      ? []
      : [
          start('codec-server', ports.codec, {
            ...temporalEnv,
            ...encryption.env,
            TRAMITA_CODEC_DATABASE_URL: database.codecUrl,
            TRAMITA_CODEC_TOKENS: encryption.tokens,
            TRAMITA_CODEC_LISTEN: `127.0.0.1:${ports.codec}`,
            ...present({ TRAMITA_CODEC_ORIGINS: temporal.uiUrl }),
          }),
        ]),
    sandbox.control.setWebhook({ url: `${bridgeUrl}/webhooks`, secret: webhookSecret }),
  ]);
  return {
    folder: stack.folder,
    temporal,
    taskQueue: clientEnv.TRAMITA_TASK_QUEUE,
    sandbox,
    bridgeUrl,
    ...present({ codec: encryption && { url: codecUrl, tokenFile: encryption.tokenFile } }),
    filesDir: clientEnv.TRAMITA_FILES_DIR,
    clientEnv,
    commandEnv: buildChildEnv({ env, keepTemporal, ours: clientEnv }),
  };
}

/** On a shared server no other worker may take our flows, because it would call, and pay, the real service. */
function foreignTaskQueue(stack: Stack): string {
  return `${DEFAULT_TASK_QUEUE}-local-${createHash('sha256').update(stack.folder).digest('hex').slice(0, 8)}`;
}

/** The sandbox and its account stay the same on another port, so the new address is recorded as a move. */
async function followSandbox(
  databaseUrl: string,
  { idKey, apiUrl }: { readonly idKey: string; readonly apiUrl: string },
): Promise<void> {
  const db = connect({ url: databaseUrl, applicationName: 'tramita-stack', max: 1 });
  const { account, value } = baseUrlFingerprint(idKey, { account: DEFAULT_ACCOUNT, apiUrl });
  try {
    await moveBaseUrl(db, { account, value, by: 'the local stack', nowMs: Date.now() });
  } finally {
    await db.destroy();
  }
}

/**
 * Starts several parts at once. If one fails it aborts the others and waits for all of them, because a part that is still
 * starting must be among those that are stopped afterwards. Throws the first failure, not one that it caused.
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
