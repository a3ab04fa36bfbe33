/**
 * The transport under axios, where a request meets its connection. It guarantees three things that axios alone does not:
 * the path is byte-exact (axios rebuilds it by the WHATWG rules), the age fence runs synchronously before the first byte
 * can be written, and we know whether the request was handed to an established connection. Nothing here retries.
 *
 * The remaining gap between fence and write is one `process.nextTick` of Node's http client: no I/O, no timer in between.
 */
import {
  Agent,
  request as startRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { openConnection, type ConnectTarget } from './open-connection.js';

/** Idle pooled connections are dropped before common servers drop them (Node's default keep-alive is 5 s). */
const POOL_IDLE_MS = 4_000;

/** State of one request. `send-once.ts` sets `closed` and reads the rest; the transport does the opposite. */
export interface Boundary {
  /** True once an established connection has the request: from then on the outcome is never `not_sent`. */
  handed: boolean;
  /** True once the exchange has ended: a request that was not handed over by then never is. */
  closed: boolean;
  /** Why it was not handed over: the fence's text, or the failure to connect. */
  refusal?: string;
  request?: ClientRequest;
  socket?: Socket;
}

/** Either the one connection opened for this request, or the pool of free calls. */
export type Line = { readonly socket: Socket } | { readonly pool: Agent };

export interface TransportJob {
  readonly line: Line;
  readonly path: string;
  readonly hostHeader: string;
  readonly boundary: Boundary;
  readonly beforeWrite?: (() => string | undefined) | undefined;
  /** Called with every socket that carries the request, before anything is written. */
  readonly onSocket: (socket: Socket) => void;
  /** Called for every 1xx head: the service is still working, and its final answer is yet to come. */
  readonly onInterim: () => void;
  readonly onHead: (answer: IncomingMessage) => void;
}

/** The part of Node's http module that axios calls. */
export interface Transport {
  request(options: RequestOptions, onAnswer: (answer: IncomingMessage) => void): ClientRequest;
}

interface PooledOptions extends RequestOptions {
  readonly onOpenFailed: (reason: string) => void;
}

export function createBoundaryTransport(job: TransportJob): Transport {
  const { boundary, line } = job;
  return {
    request: (options, onAnswer) => {
      if (boundary.closed) throw refused(boundary, 'ended before it was sent');
      const refusal = job.beforeWrite?.();
      if (refusal !== undefined) throw refused(boundary, refusal);
      const common: RequestOptions = {
        method: options.method ?? 'GET',
        path: job.path,
        headers: { ...(options.headers as Record<string, string>), host: job.hostHeader },
        insecureHTTPParser: false,
      };
      const clientRequest = startRequest(
        'socket' in line ? overSocket(common, line.socket, boundary) : overPool(common, line.pool, boundary),
        (answer) => {
          job.onHead(answer);
          onAnswer(answer);
        },
      );
      clientRequest.once('socket', (socket) => {
        boundary.handed = true;
        boundary.socket = socket;
        job.onSocket(socket);
      });
      clientRequest.on('information', job.onInterim);
      boundary.request = clientRequest;
      return clientRequest;
    },
  };
}

/** Pool of free calls. Sockets are opened by {@link openConnection}, so the boundary is the same as for fresh ones. */
export function createPool(target: ConnectTarget, connectMs: number): Agent {
  const createConnection = (options: PooledOptions, done: (error: Error | null, socket?: Socket) => void): void => {
    void openConnection(target, connectMs).then((opened) => {
      if (!opened.ok) options.onOpenFailed(opened.reason);
      done(opened.ok ? null : new Error('tramita: no connection'), opened.ok ? opened.socket : undefined);
    });
  };
  const pool = new Agent({ keepAlive: true, timeout: POOL_IDLE_MS, maxFreeSockets: 8 });
  return Object.assign(pool, { createConnection, ...guardIdle(pool) });
}

/**
 * Drops an idle connection on which bytes arrive. They answer no request, and would otherwise be taken for the answer to
 * the next one (RFC 9112 6.3 forbids it).
 */
function guardIdle(pool: Agent): Pick<Agent, 'keepSocketAlive' | 'reuseSocket'> {
  // Typed as `void`, but the agent keeps the connection only when this returns true.
  const keep = pool.keepSocketAlive.bind(pool) as unknown as (stream: Duplex) => boolean;
  const reuse = pool.reuseSocket.bind(pool);
  const guards = new WeakMap<object, () => void>();
  return {
    keepSocketAlive: (stream) => {
      const drop = (): void => void stream.destroy();
      guards.set(stream, drop);
      stream.on('data', drop);
      return keep(stream);
    },
    reuseSocket: (stream, request) => {
      const drop = guards.get(stream);
      if (drop !== undefined) stream.off('data', drop);
      reuse(stream, request);
    },
  };
}

function overSocket(options: RequestOptions, socket: Socket, boundary: Boundary): RequestOptions {
  if (socket.destroyed) throw refused(boundary, 'the connection was closed before the request was written');
  return {
    ...options,
    createConnection: () => {
      boundary.handed = true;
      return socket;
    },
  };
}

function overPool(options: RequestOptions, agent: Agent, boundary: Boundary): PooledOptions {
  return { ...options, agent, onOpenFailed: (reason) => (boundary.refusal = reason) };
}

function refused(boundary: Boundary, reason: string): Error {
  boundary.refusal = reason;
  return new Error('tramita: not sent');
}
