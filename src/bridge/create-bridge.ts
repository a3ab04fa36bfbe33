/**
 * Assembles the bridge: two listeners, the relay, and an orderly shutdown. Its dependencies are passed in; it reads no
 * environment and closes neither database nor Temporal client.
 */
import type { FastifyInstance } from 'fastify';
import { codeOfError } from '../contract/values/index.js';
import { createWebhookServer } from './fastify/server.js';
import { createOpsServer } from './fastify/ops.js';
import { createAdmit } from './handle.js';
import { createMetrics } from './metrics.js';
import { nodeVersionProblem } from './node-version.js';
import { createWaker, startRelay, type CountWakes } from '../wakes/index.js';
import type { BridgeOptions } from './types.js';

/** A bridge that is listening. */
export interface Bridge {
  /** Base of the webhook addresses, e.g. `http://127.0.0.1:8788`. */
  readonly url: string;
  readonly opsUrl: string;
  /** Closes the listener, answers deliveries in flight, lets running signals end, stops the relay. Idempotent. */
  readonly close: () => Promise<void>;
}

/** Longest wait for deliveries in flight: the time an answer may take, with a margin. */
const CLOSE_WITHIN_MS = 10_000;
/** Older than any wake, so the health check queries the database and takes nothing. */
const OLDER_THAN_ANY_MS = 100 * 365 * 86_400_000;

/**
 * Starts the receiver of the service's webhooks: a delivery is verified, stored, answered, and wakes the flows that wait for it.
 *
 * @throws when an account has neither secret nor token (and `insecure` is not set), or an address cannot be listened on.
 */
export async function createBridge(options: BridgeOptions): Promise<Bridge> {
  const problem = protectionProblem(options);
  if (problem !== undefined) throw new Error(`tramita: ${problem}`);
  const { inbox, log } = options;
  const nodeProblem = nodeVersionProblem(process.versions.node);
  if (nodeProblem !== undefined) log.warn({}, nodeProblem);
  const metrics = createMetrics(Object.keys(options.accounts));
  const count: CountWakes = (name, by) => metrics.count(name, {}, by);
  const waker = createWaker({ inbox, signalWake: options.signalWake, log, count, observe: metrics.observeWake });

  const server = createWebhookServer({
    ...options,
    metrics,
    admit: createAdmit({ ...options, metrics }),
    onAnswered: ({ owed, span }) => {
      const wake = (): void => owed && void waker.wakeNow(owed.wakes, owed.payload);
      if (span === undefined) wake();
      else span.run(wake);
      span?.end({ 'tramita.waiting': owed?.wakes.length });
    },
  });
  const ops = createOpsServer({
    checkDatabase: async () => {
      await inbox.takeUnwoken({ limit: 1, olderThanMs: OLDER_THAN_ANY_MS }, () => Promise.resolve([]));
    },
    temporal: waker.temporal,
    metrics,
  });
  const [url, opsUrl] = await listenBoth({ server, ops, options });
  const relay = startRelay({ inbox, waker, log, count }, options.relay);
  log.info(
    { url, opsUrl, accounts: Object.keys(options.accounts).length, tls: options.tls !== undefined },
    'bridge listens',
  );

  const end = async (): Promise<void> => {
    const force = setTimeout(() => server.server.closeAllConnections(), CLOSE_WITHIN_MS);
    await server.close().finally(() => clearTimeout(force));
    await Promise.all([waker.idle(), relay.stop()]);
    await ops.close();
    log.info({}, 'bridge closed');
  };
  let ending: Promise<void> | undefined;
  return { url, opsUrl, close: () => (ending ??= end()) };
}

function protectionProblem({ accounts, insecure = false, log }: BridgeOptions): string | undefined {
  const names = Object.keys(accounts);
  if (names.length === 0) return 'the bridge has no account; configure at least one';
  for (const name of names) {
    const { secrets = [], tokens = [] } = accounts[name] ?? {};
    if ([...secrets, ...tokens].some((secret) => secret.trim() === '')) {
      return `account ${name} has a blank webhook secret or token, which would protect nothing; remove it from the list`;
    }
    if (secrets.length > 0) continue;
    if (tokens.length > 0) log.warn({ account: name }, 'webhook token without HMAC secret: the body is not protected');
    else if (insecure) log.warn({ account: name }, 'insecure: webhooks of this account are accepted from anyone');
    else
      return `account ${name} has neither webhook secret nor token, so anyone could post events; configure one (or run with --insecure)`;
  }
  return undefined;
}

async function listenBoth(deps: {
  readonly server: FastifyInstance;
  readonly ops: FastifyInstance;
  readonly options: BridgeOptions;
}): Promise<readonly [string, string]> {
  const { server, ops, options } = deps;
  try {
    return [await listenOn(server, options.listen), await listenOn(ops, options.opsListen)];
  } catch (error) {
    await Promise.all([server.close(), ops.close()]);
    throw error;
  }
}

async function listenOn(app: FastifyInstance, at: { readonly host: string; readonly port: number }): Promise<string> {
  try {
    // A copy: the server writes into its options, and configuration is frozen.
    return await app.listen({ ...at });
  } catch (error) {
    throw new Error(
      `tramita: the bridge cannot listen on ${at.host}:${at.port} (${codeOfError(error) ?? 'unknown error'}); free the port or choose another address`,
      { cause: error },
    );
  }
}
