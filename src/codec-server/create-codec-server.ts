/**
 * Assembles the codec server: Temporal's codec protocol over HTTP, with CORS for the UI, a login page for browsers, and health
 * checks. Its dependencies are passed in; it reads no environment and closes no database.
 */
import cors from '@fastify/cors';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { CodecConfig } from '../config/index.js';
import { createAuthenticate } from './authenticate.js';
import { addCodecRoutes } from './codec-routes.js';
import { addLoginRoutes } from './login-routes.js';
import { codeOf, isRefusal, type Refusal } from './refusal.js';
import type { CodecLog, CodecServerOptions } from './types.js';

/** A codec server that is listening. */
export interface CodecServer {
  /** Base of the addresses, e.g. `http://127.0.0.1:8791`: the endpoint for UI and command line. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** More than all payloads of one response of Temporal (4 MB at most), in base64. */
const MAX_BODY_BYTES = 8 * 1_048_576;
const MAX_CONNECTIONS = 1_024;
const PREFLIGHT_S = 600;
const READY_WITHIN_MS = 2_000;

/** Starts the codec server. Rejects when it cannot listen. */
export async function createCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { listen, origins, log, checkDatabase } = options;
  const app = Fastify({
    logger: false,
    trustProxy: false,
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    requestTimeout: 15_000,
    keepAliveTimeout: 5_000,
    forceCloseConnections: true,
    http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000, maxHeaderSize: 16_384 },
  });
  app.server.maxConnections = MAX_CONNECTIONS;
  app.removeContentTypeParser('text/plain');
  await app.register(cors, {
    origin: [...origins],
    credentials: true,
    methods: ['POST'],
    maxAge: PREFLIGHT_S,
    allowedHeaders: ['content-type', 'x-namespace', 'authorization', 'authorization-extras'],
  });
  app.addHook('onSend', async (_request, reply) => {
    reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
    return Promise.resolve();
  });
  // Before the routes, which use the handlers that are set when they are added.
  answerErrors(app, log);
  const authenticate = createAuthenticate(options);
  addCodecRoutes(app, { ...options, authenticate });
  await addLoginRoutes(app, { ...options, authenticate });
  addHealthRoutes(app, checkDatabase);
  const url = await listenOn(app, listen);
  return { url, close: () => app.close() };
}

function addHealthRoutes(app: FastifyInstance, checkDatabase: () => Promise<void>): void {
  app.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const late = new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error('late')), READY_WITHIN_MS).unref();
    });
    const ready = await Promise.race([checkDatabase(), late]).then(
      () => true,
      () => false,
    );
    return reply.code(ready ? 200 : 503).send({ ready, database: ready ? 'reachable' : 'away' });
  });
}

type Refused = Pick<Refusal, 'message' | 'who' | 'namespace'> & { readonly status: number };

function answerErrors(app: FastifyInstance, log: CodecLog): void {
  const refuse = (request: FastifyRequest, reply: FastifyReply, refused: Refused): FastifyReply => {
    const { status, message, who, namespace } = refused;
    const path = request.url.split('?')[0]?.slice(0, 64) ?? '';
    log.warn({ status, reason: message, who, namespace, path }, 'refused');
    if (status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.code(status).send({ error: `tramita: ${message}` });
  };
  app.setNotFoundHandler((request, reply) =>
    refuse(request, reply, { status: 404, message: 'there is nothing here; expected /decode' }),
  );
  app.setErrorHandler((error, request, reply) => {
    if (isRefusal(error)) return refuse(request, reply, error);
    const { statusCode: status = 500 } = error as { readonly statusCode?: number };
    const message = STATUS_TEXTS[status];
    if (message !== undefined) return refuse(request, reply, { status, message });
    log.error({ code: codeOf(error) }, 'a request failed unexpectedly');
    return reply.code(500).send({ error: 'tramita: the codec server failed; see its log' });
  });
}

/** Fastify's own refusals; their messages quote the request, ours do not. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'the body is not JSON',
  408: 'the body came too slowly',
  413: `the body has more than ${MAX_BODY_BYTES} bytes`,
  415: 'the content type is wrong; expected application/json',
};

async function listenOn(app: FastifyInstance, at: CodecConfig['listen']): Promise<string> {
  try {
    // A copy: the server writes into its options, and configuration is frozen.
    return await app.listen({ ...at });
  } catch (error) {
    await app.close();
    throw new Error(
      `tramita: the codec server cannot listen on ${at.host}:${at.port} (${codeOf(error)}); free the port or set TRAMITA_CODEC_LISTEN`,
      { cause: error },
    );
  }
}
