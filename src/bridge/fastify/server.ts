/**
 * The public server: raw bytes in, responses out. Its limits keep slow and greedy strangers cheap; `handle.ts` decides what a
 * delivery means. `X-Forwarded-*` headers are not trusted.
 */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { nameOfError } from '../../contract/values/index.js';
import { DEFAULT_ACCOUNT } from '../../protocol/index.js';
import { buildRefused } from '../answers.js';
import { createByteBudget } from '../byte-budget.js';
import { MAX_BODY_BYTES, type Admit, type Admitted } from '../handle.js';
import type { Metrics, Refusal } from '../metrics.js';
import { createIntake, type RawRequest, type Received } from './receive-body.js';
import type { Answer, BridgeOptions, Handled } from '../types.js';

const HTTP_LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 8_000,
  /** Without it the two limits above may act 30 s late (measured). */
  connectionsCheckingInterval: 500,
  maxHeaderSize: 8_192,
} as const;
/** The limits above begin after the handshake, which may otherwise take two minutes, also while the bridge closes. */
const TLS_LIMITS = { handshakeTimeout: 5_000, minVersion: 'TLSv1.2' } as const;
/** Connections at once; further ones are closed immediately. */
const MAX_CONNECTIONS = 4_096;
const MAX_REQUESTS_PER_SOCKET = 1_000;
const KEEP_ALIVE_MS = 5_000;
/** Idle time of a socket; longer than the 8 s that an answer may take. */
const SOCKET_IDLE_MS = 12_000;
/** Deliveries being stored at once; slow senders do not count, because their body is not complete. */
const MAX_IN_FLIGHT = 256;
/** Memory of all larger bodies together. */
const MAX_BODIES_BYTES = 32 * 1_048_576;
/** Larger bodies that wait for room. Each may already hold what arrived together with its head, up to 64 KB. */
const MAX_WAITING_BODIES = 256;
/** Half of the time that an answer may take; the rest is for the body and the database. */
const ROOM_WITHIN_MS = 4_000;

type WebhookServerDependencies = Pick<BridgeOptions, 'log' | 'clock' | 'tls' | 'maxInFlight' | 'maxBodyBytes'> & {
  readonly admit: Admit;
  readonly metrics: Metrics;
  /** Called when the answer has been handed to the socket. */
  readonly onAnswered: (handled: Handled) => void;
};

export function createWebhookServer(deps: WebhookServerDependencies): FastifyInstance {
  const { admit, metrics, log, clock } = deps;
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
    // Errors of the router: a path that cannot be decoded, or a name longer than any account's.
    frameworkErrors: (error: unknown, _request: FastifyRequest, reply: FastifyReply) => {
      const isMalformed = statusOf(error) === 400;
      refuse(reply, isMalformed ? 400 : 404, isMalformed ? 'malformed' : 'path');
    },
  } as const;
  const app = (
    deps.tls === undefined
      ? Fastify({ ...common, http: HTTP_LIMITS })
      : Fastify({ ...common, https: { ...HTTP_LIMITS, ...TLS_LIMITS, ...deps.tls } })
  ) as FastifyInstance;
  app.server.maxConnections = MAX_CONNECTIONS;

  const intake = createIntake(
    createByteBudget({
      maxBytes: deps.maxBodyBytes ?? MAX_BODIES_BYTES,
      maxWaiting: MAX_WAITING_BODIES,
      waitMs: ROOM_WITHIN_MS,
    }),
  );
  app.addHook('onClose', () => intake.stop());
  const admitted = new WeakMap<FastifyRequest, Admitted>();
  let inFlight = 0;

  const refuse = (reply: FastifyReply, status: number, reason: Refusal): FastifyReply => {
    metrics.count('refused', { reason });
    return write(reply, buildRefused(status));
  };

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', (_request: FastifyRequest, payload: RawRequest) =>
    intake.receive(payload),
  );

  // Before the body is read, and for every request: only `receive` returns what a body takes of the budget.
  app.addHook('onRequest', async (request, reply) => {
    // The router would read `POST http://elsewhere/webhooks` as `/webhooks`. Only a proxy receives such requests.
    if (request.url.startsWith('/') && !request.is404) return undefined;
    return isWebhookPath(request.url) ? refuse(reply, 405, 'method') : refuse(reply, 404, 'path');
  });

  /** Runs before the body is read, so that a stranger's body or a decompression bomb costs nothing. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const { account = DEFAULT_ACCOUNT } = request.params as { readonly account?: string };
    const admission = admit({ account, rawHeaders: request.raw.rawHeaders, receivedAtMs: clock() });
    if (admission.kind === 'refused') return write(reply, admission.answer);
    admitted.set(request, admission);
    return undefined;
  };

  const receive = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { bytes, release } = (request.body ?? EMPTY) as Received;
    let storing: Promise<unknown> | undefined;
    try {
      const admission = admitted.get(request);
      if (admission === undefined) throw new Error('tramita: a body without an admitted head');
      if (inFlight >= (deps.maxInFlight ?? MAX_IN_FLIGHT)) return await refuse(reply, 429, 'busy');
      inFlight += 1;
      try {
        const handled = await admission.take(bytes);
        storing = handled.storing;
        const answered = write(reply, handled.answer);
        // The answer goes first. The flows are woken even if the sender has disconnected, because the event is stored.
        process.nextTick(deps.onAnswered, handled);
        return await answered;
      } finally {
        inFlight -= 1;
      }
    } finally {
      if (storing === undefined) release();
      else void storing.finally(release);
    }
  };
  app.post('/webhooks', { onRequest }, receive);
  app.post('/webhooks/:account', { onRequest }, receive);

  app.setErrorHandler((error, _request, reply) => {
    const status = statusOf(error);
    if (status === undefined) log.error({ error: nameOfError(error) }, 'webhook failed unexpectedly');
    return refuse(reply, status ?? 503, REASONS[status ?? 500] ?? 'error');
  });
  return app;
}

const EMPTY: Received = { bytes: Buffer.alloc(0), release: () => undefined };

const REASONS: Readonly<Record<number, Refusal>> = {
  400: 'malformed',
  408: 'too-slow',
  413: 'too-large',
  415: 'content-type',
  503: 'no-room',
};

function write(reply: FastifyReply, answer: Answer): FastifyReply {
  // The rest of an unread body is never read, so the connection cannot be reused.
  if (hasMore(reply.request.raw)) reply.header('connection', 'close');
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}

function hasMore({ complete, headers }: RawRequest): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/** Refusals of a body, and Fastify's own (media type), keep their status; after any other failure the sender may retry. */
function statusOf(error: unknown): number | undefined {
  const status = (error as { readonly statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && ((status >= 400 && status < 500) || status === 503) ? status : undefined;
}

function isWebhookPath(url: string): boolean {
  return /^\/webhooks(\/[^/?]+)?(\?|$)/.test(url);
}
