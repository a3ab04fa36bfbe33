/**
 * The client of the service: one attempt per call, its result a union. The connection is opened before a request exists,
 * so "not sent" is a fact and not a guess. Charged calls get a fresh connection each; free polls may
 * share a pool. What an exchange means is judged elsewhere (`judge-exchange.ts`, `judge-poll.ts`).
 */
import { performance } from 'node:perf_hooks';
import { present, type ServiceRequest } from '../contract/index.js';
import { buildKeyHeader, type AuthForm } from './api-key.js';
import { parseBaseUrl } from './base-url.js';
import { createPool, type Line } from './boundary-transport.js';
import { openConnection, type ConnectTarget } from './open-connection.js';
import { spaceProblem } from './free-space.js';
import type { FileSink } from './receive-file.js';
import { withoutKey } from './redact.js';
import { createAxios, sendOnce } from './send-once.js';
import type { Exchange } from './types.js';
import { USER_AGENT } from './user-agent.js';

/** Limits of one exchange, ms and bytes. */
export interface ExchangeLimits {
  /** TCP and TLS handshake; 10 s. */
  readonly connectMs: number;
  /** From hand-over to the first byte; 35 s, above the service's own window of 30 s (interface "Limits"). */
  readonly firstByteMs: number;
  /** Between two bytes of an answer; 15 s. */
  readonly idleMs: number;
  /** Size of a body after decompression; 20 MB. */
  readonly maxBytes: number;
}

const DEFAULT_LIMITS: ExchangeLimits = { connectMs: 10_000, firstByteMs: 35_000, idleMs: 15_000, maxBytes: 20_000_000 };

export interface ServiceClientOptions {
  /** `https://host[:port][/path]`; http only for loopback hosts. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly auth: AuthForm;
  /** Epoch ms; `Date.now`. */
  readonly clock?: () => number;
  readonly limits?: Partial<ExchangeLimits>;
  /** PEM of certificate authorities to trust instead of the system's. */
  readonly ca?: string;
}

export interface SendOptions {
  /** Whole exchange, connecting included, ms. */
  readonly totalMs: number;
  /** Share connections. Only for free calls; default false. Ignored where `beforeWrite` is given. */
  readonly keepAlive?: boolean;
  /**
   * The age fence: runs synchronously just before the request is written. A text means "do not send" and becomes the
   * reason of a `not_sent` exchange.
   */
  readonly beforeWrite?: () => string | undefined;
  /** Only for free calls: a charged call is not aborted, because it may have been sent. */
  readonly signal?: AbortSignal;
  /**
   * Where a PDF is stored under its hash; it is never held in memory. Asks for `application/pdf` as well, and sends nothing when
   * the directory is full or cannot be written.
   */
  readonly sink?: FileSink;
}

export interface ServiceClient {
  /** One attempt. Never throws for network reasons. */
  send(request: ServiceRequest, options: SendOptions): Promise<Exchange>;
  /** Drops pooled connections. */
  close(): void;
}

/** Throws `tramita: …` when base URL or key cannot be used; neither is shown. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const origin = parseBaseUrl(options.baseUrl);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const clock = options.clock ?? Date.now;
  const target: ConnectTarget = { ...origin, ...present({ ca: options.ca }) };
  const facade = createAxios(options.baseUrl);
  const pool = createPool(target, limits.connectMs);
  const common = {
    ...buildKeyHeader(options.apiKey, options.auth),
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': USER_AGENT,
  };

  const send = async (request: ServiceRequest, wanted: SendOptions): Promise<Exchange> => {
    if (!/^\/[\x21-\x7e]*$/.test(request.target) || request.target.includes('#')) {
      return { kind: 'not_sent', reason: 'the request target has characters that are not allowed in a request line' };
    }
    const startedMs = performance.now();
    const full = wanted.sink === undefined ? undefined : await spaceProblem(wanted.sink.directory);
    if (full !== undefined) return { kind: 'not_sent', reason: full };
    const line = await openLine(wanted);
    if ('reason' in line) return { kind: 'not_sent', reason: line.reason };
    const exchange = await sendOnce(facade, {
      request,
      path: `${origin.basePath}${request.target}`,
      hostHeader: origin.hostHeader,
      headers: {
        ...common,
        ...(wanted.sink === undefined ? {} : { accept: 'application/pdf, application/json' }),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      line,
      limits: { ...limits, totalMs: Math.max(1, wanted.totalMs - (performance.now() - startedMs)) },
      maxBytes: limits.maxBytes,
      clock,
      beforeWrite: wanted.beforeWrite,
      signal: wanted.signal,
      sink: wanted.sink,
    });
    return exchange.kind === 'answer' ? { ...exchange, body: withoutKey(exchange.body, options.apiKey) } : exchange;
  };

  const openLine = async (wanted: SendOptions): Promise<Line | { readonly reason: string }> => {
    if (wanted.keepAlive === true && wanted.beforeWrite === undefined) return { pool };
    const opened = await openConnection(target, Math.min(limits.connectMs, wanted.totalMs), wanted.signal);
    return opened.ok ? { socket: opened.socket } : { reason: opened.reason };
  };

  return { send, close: () => pool.destroy() };
}
