/**
 * The private server, on its own port: liveness, readiness, metrics. Ready means that an event could be stored. Whether Temporal
 * answers is reported but not required, because the inbox keeps what Temporal cannot take now.
 */
import Fastify, { type FastifyInstance } from 'fastify';
import type { Metrics } from '../metrics.js';
import { answersWithin, type TemporalState } from '../../wakes/index.js';

interface OpsServerDependencies {
  /** Rejects, or does not return in time, if the database is away. */
  readonly checkDatabase: () => Promise<void>;
  readonly temporal: () => TemporalState;
  readonly metrics: Metrics;
}

const CHECK_WITHIN_MS = 2_000;

export function createOpsServer(deps: OpsServerDependencies): FastifyInstance {
  const app = Fastify({
    logger: false,
    requestTimeout: 5_000,
    keepAliveTimeout: 5_000,
    forceCloseConnections: true,
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 8_192 },
  });
  app.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const reachable = await answersWithin(CHECK_WITHIN_MS, deps.checkDatabase());
    return reply
      .code(reachable ? 200 : 503)
      .send({ ready: reachable, database: reachable ? 'reachable' : 'away', temporal: deps.temporal() });
  });
  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(await deps.metrics.text()),
  );
  return app;
}
