/** Composition: settings → journal, world, loopback servers. The only place that knows all parts. */
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { HANDSHAKE } from './faults/fault-board.js';
import { parseSettings, type SandboxOptions } from './settings.js';
import { openJournal } from './state/journal.js';
import { NOTHING_KEPT, restoreKept } from './state/restore.js';
import { addControlRoutes, CONTROL_PREFIX } from './transport/control-routes.js';
import { routesOf } from './transport/exchange.js';
import { createConnectionGate } from './transport/refuse-connections.js';
import { addApiRoutes, addDocumentsRoutes } from './transport/routes.js';
import { createTlsListener } from './transport/tls-listener.js';
import { createServer, HOST, numberConnections } from './transport/server.js';
import { createWorld, type World } from './world.js';

/** The addresses of a running sandbox, and how to stop it. */
export interface Sandbox {
  /** Base URL of the service, without `/v1` and without a trailing slash. */
  readonly url: string;
  /** The second origin, on which signed links live. */
  readonly documentsUrl: string;
  /** Control interface. Also under `/__control` of {@link url}, which F0 can close. */
  readonly controlUrl: string;
  /** The service over TLS, with a certificate of its own (`GET /__control/tls`); for F2. */
  readonly tlsUrl: string;
  /** Stops it; charge book and pending work stay in `dataDir`, if one was given. */
  close(): Promise<void>;
}

/** Starts a sandbox on 127.0.0.1. Throws when an option is wrong or a port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = parseSettings(options);
  const journal = openJournal(settings.dataDir);
  const api = createServer();
  const documents = createServer();
  let connections = 0;
  const next = (): number => (connections += 1);
  const gate = createConnectionGate(api.server);

  let current: World | undefined;
  const world = (): World => {
    if (current === undefined) throw new Error('tramita: the sandbox is still starting');
    return current;
  };
  const tls = createTlsListener(
    api.server,
    () => world().faults.fire({ operation: HANDSHAKE, reused: false, answer: null }) !== undefined,
  );
  const control = {
    world,
    refuseConnectionsFor: (ms: number): void => gate.refuseFor(ms),
    certificate: tls.certificate,
    reset: (changes: Pick<World['settings'], 'seed' | 'dialect' | 'corpus'>): void => {
      const old = world();
      old.end();
      journal.append([{ kind: 'reset' }], { durable: true });
      const kept = { ...NOTHING_KEPT, firstNumber: old.book.nextNumber() };
      // The webhook set in the dashboard belongs to the account, not to the data: a reset keeps it.
      const webhook = old.webhooks.config();
      current = createWorld({
        settings: { ...old.settings, ...changes, webhook },
        origins: old.origins,
        journal,
        kept,
      });
    },
  };
  addApiRoutes(api, routesOf('api', { world, connectionOf: numberConnections(api, next) }), world);
  addDocumentsRoutes(documents, routesOf('documents', { world, connectionOf: numberConnections(documents, next) }));
  for (const server of [api, documents]) addControlRoutes(server, control);

  try {
    await documents.listen({ host: HOST, port: settings.documentsPort });
    await api.listen({ host: HOST, port: settings.port });
    await new Promise<void>((resolve, reject) => {
      tls.server.once('error', reject);
      tls.server.listen(settings.tlsPort, HOST, () => resolve());
    });
  } catch (error) {
    await Promise.all([api.close(), documents.close(), tls.close()]);
    journal.close();
    throw listenError(error);
  }
  const origins = { apiUrl: urlOf(api.server), documentsUrl: urlOf(documents.server) };
  current = createWorld({ settings, origins, journal, kept: restoreKept(journal.read()) });

  return {
    url: origins.apiUrl,
    documentsUrl: origins.documentsUrl,
    controlUrl: origins.documentsUrl + CONTROL_PREFIX,
    tlsUrl: urlOf(tls.server, 'https'),
    async close() {
      world().end();
      await gate.open();
      await Promise.all([api.close(), documents.close(), tls.close()]);
      journal.close();
    },
  };
}

function urlOf(server: Pick<Server, 'address'>, scheme = 'http'): string {
  return `${scheme}://${HOST}:${(server.address() as AddressInfo).port}`;
}

function listenError(error: unknown): unknown {
  const { code, port } = error as { readonly code?: unknown; readonly port?: unknown };
  if (typeof code !== 'string' || typeof port !== 'number') return error;
  return new Error(
    `tramita: the sandbox cannot listen on ${HOST}:${port} (${code}); free the port, or give another one`,
    {
      cause: error,
    },
  );
}
