/**
 * The public side: raw bytes in, answers out. Limits keep slow and greedy strangers cheap; what a delivery means is decided in
 * `handle.ts`. Nothing of `X-Forwarded-*` is trusted.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { DEFAULT_ACCOUNT } from '../../protocol/index.js';
import { buildRefused } from '../answers.js';
import { MAX_BODY_BYTES, type Handle } from '../handle.js';
import type { Metrics } from '../metrics.js';
import { mediaProblem } from '../raw-headers.js';
import type { Answer, BridgeOptions, Handled } from '../types.js';
import { nameOf } from '../../wakes/index.js';

const HTTP_LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 8_000,
  /** Without it the two limits above act up to 30 s late (measured). */
  connectionsCheckingInterval: 500,
  maxHeaderSize: 8_192,
} as const;
/** Connections at once; above it new ones are closed at the door. */
const MAX_CONNECTIONS = 4_096;
const MAX_REQUESTS_PER_SOCKET = 1_000;
const KEEP_ALIVE_MS = 5_000;
/** A socket on which nothing moves; above the 8 s that an answer may take. */
const SOCKET_IDLE_MS = 12_000;
/** Deliveries being stored at once; slow senders do not count, their body is not complete. */
const MAX_IN_FLIGHT = 256;

type WebhookServerDependencies = Pick<BridgeOptions, 'log' | 'clock' | 'tls' | 'maxInFlight'> & {
  readonly handle: Handle;
  readonly metrics: Metrics;
  /** Called when the answer has been handed to the socket. */
  readonly onAnswered: (handled: Handled) => void;
};

export function createWebhookServer(deps: WebhookServerDependencies): FastifyInstance {
  const { handle, metrics, log, clock } = deps;
  const common = {
    logger: false,
    trustProxy: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: HTTP_LIMITS.requestTimeout,
    connectionTimeout: SOCKET_IDLE_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxRequestsPerSocket: MAX_REQUESTS_PER_SOCKET,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 100 },
  } as const;
  const app = (
    deps.tls === undefined
      ? Fastify({ ...common, http: HTTP_LIMITS })
      : Fastify({ ...common, https: { ...HTTP_LIMITS, ...deps.tls, minVersion: 'TLSv1.2' } })
  ) as FastifyInstance;
  app.server.maxConnections = MAX_CONNECTIONS;

  const receivedAt = new WeakMap<FastifyRequest, number>();
  let inFlight = 0;

  const refuse = (reply: FastifyReply, status: number, reason: string): FastifyReply => {
    metrics.count('refused', { reason });
    return write(reply, buildRefused(status));
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });

  app.addHook('onRequest', async (request, reply) => {
    receivedAt.set(request, clock());
    // The router would read `POST http://elsewhere/webhooks` as `/webhooks`: nobody but a proxy is spoken to like that.
    if (!request.url.startsWith('/')) return refuse(reply, 404, 'path');
    if (request.method !== 'POST' || !isWebhookPath(request.url)) return undefined;
    // Before the body is read: a compressed bomb costs nothing.
    const media = mediaProblem(request.raw.rawHeaders);
    return media === undefined ? undefined : refuse(reply.header('connection', 'close'), 415, media);
  });

  const receive = async (request: FastifyRequest, account: string, reply: FastifyReply): Promise<FastifyReply> => {
    if (inFlight >= (deps.maxInFlight ?? MAX_IN_FLIGHT)) return refuse(reply, 429, 'busy');
    inFlight += 1;
    try {
      const handled = await handle({
        account,
        rawHeaders: request.raw.rawHeaders,
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        receivedAtMs: receivedAt.get(request) ?? clock(),
      });
      // The flows are woken even when the sender has gone meanwhile: the event is stored.
      if (reply.raw.closed) deps.onAnswered(handled);
      else reply.raw.once('close', () => deps.onAnswered(handled));
      return await write(reply, handled.answer);
    } finally {
      inFlight -= 1;
    }
  };
  app.post('/webhooks', (request, reply) => receive(request, DEFAULT_ACCOUNT, reply));
  app.post<{ Params: { account: string } }>('/webhooks/:account', (request, reply) =>
    receive(request, request.params.account, reply),
  );

  app.setNotFoundHandler((request, reply) => {
    const method = isWebhookPath(request.url);
    return refuse(reply, method ? 405 : 404, method ? 'method' : 'path');
  });
  app.setErrorHandler((error, _request, reply) => {
    const status = statusOf(error);
    if (status === 503) log.error({ error: nameOf(error) }, 'webhook failed unexpectedly');
    return refuse(reply, status, REASONS[status] ?? 'error');
  });
  return app;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'malformed',
  413: 'too-large',
  415: 'content-type',
  503: 'error',
};

function write(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}

/** Fastify's own refusals (too large, length mismatch, media) keep their status; whatever else failed is for a retry. */
function statusOf(error: unknown): number {
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 503;
}

function isWebhookPath(url: string): boolean {
  return /^\/webhooks(\/[^/?]+)?(\?|$)/.test(url);
}
