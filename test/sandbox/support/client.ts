/**
 * A client that reports what happened on the socket: `node:http`, one connection per request, no retries, no
 * redirects. Used instead of the product's own client, so that a mistake shared by both sides cannot pass.
 */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import {
  startSandbox,
  type Charge,
  type Delivery,
  type ReceivedRequest,
  type Sandbox,
  type SandboxOptions,
} from '../../../sandbox/index.js';
import { openReceiver, type Receiver } from './webhook-receiver.js';

export interface AnswerBody {
  readonly data: {
    readonly requestId: string;
    readonly statusUrl: string;
    readonly nextPollAt: string;
    readonly credits: number;
    readonly data_ultima_verificacao: string | null;
    readonly ultima_verificacao: {
      readonly id: string;
      readonly status: string;
      readonly concluido_em: string;
    };
    readonly documentos: readonly DocumentItem[];
    readonly links: { readonly next: { readonly href: string } | null };
  };
  readonly meta: {
    readonly creditsCharged: number;
    readonly creditsRemaining: number;
    readonly requestId: string;
    readonly searchLogId: string | null;
  };
  readonly error: { readonly code: string; readonly message: string };
  readonly charges: readonly Charge[];
  readonly requests: readonly ReceivedRequest[];
  readonly deliveries: readonly Delivery[];
  readonly faults: readonly { readonly fault: string; readonly fired: number; readonly left: number }[];
  readonly now: string;
}

export interface DocumentItem {
  readonly id: string;
  readonly quantidadePaginas: number;
  readonly downloadUrl: string;
}

export interface Reply {
  /** 0 when no response head arrived. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** False when the connection ended before the body was complete. */
  readonly complete: boolean;
  /** `code` of the socket error, if any. */
  readonly code?: string;
  /** The parsed body (undefined when it is not JSON), typed as if every member were present. */
  readonly json: AnswerBody;
}

export interface SendOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly timeoutMs?: number;
  /** As it is, in place of the URL's. */
  readonly path?: string;
  /** Reuses its connections. */
  readonly agent?: Agent;
}

export function send(url: string, options: SendOptions = {}): Promise<Reply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const finish = (facts: {
      status?: number;
      headers?: IncomingHttpHeaders;
      complete?: boolean;
      code?: string;
    }): void => {
      const bytes = Buffer.concat(chunks);
      const { status = 0, headers = {}, complete = false, code } = facts;
      resolve({ status, headers, bytes, complete, json: parse(bytes), ...(code === undefined ? {} : { code }) });
    };
    const body =
      options.body === undefined
        ? undefined
        : Buffer.from(typeof options.body === 'string' ? options.body : JSON.stringify(options.body));
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
      ...options.headers,
    };
    const { method = 'GET', agent = false, path } = options;
    const request = httpRequest(
      url,
      { method, agent, headers, ...(path === undefined ? {} : { path }) },
      (response) => {
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        const head = { status: response.statusCode ?? 0, headers: response.headers };
        response.on('end', () => finish({ ...head, complete: true }));
        response.on('error', (error: NodeJS.ErrnoException) => finish({ ...head, code: error.code ?? 'ERROR' }));
      },
    );
    request.on('error', (error: NodeJS.ErrnoException) => finish({ code: error.code ?? 'ERROR' }));
    if (options.timeoutMs !== undefined) request.setTimeout(options.timeoutMs, () => request.destroy());
    request.end(body);
  });
}

/** A fast client for many calls: it reuses connections. */
export function createFastClient(origin: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    call: (method: NonNullable<SendOptions['method']>, path: string, body?: string): Promise<Reply> =>
      send(origin, { method, path, body, agent, headers: KEY }),
    close: () => agent.destroy(),
  };
}

function parse(bytes: Buffer): AnswerBody {
  try {
    return JSON.parse(bytes.toString('utf8')) as AnswerBody;
  } catch {
    return undefined as unknown as AnswerBody;
  }
}

export interface Caller extends Sandbox {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  control(path: string, body?: unknown): Promise<Reply>;
  charges(): Promise<readonly Charge[]>;
  requests(): Promise<readonly ReceivedRequest[]>;
}

export const KEY = { 'x-api-key': 'sandbox-key' };
export const HAPPY = '1000001-51.2026.8.26.0100';

/** Paths of the operations on one case. */
export const paths = {
  refresh: (cnj: string) => `/v1/processos/cnj/${cnj}/solicitar-atualizacao`,
  status: (cnj: string) => `/v1/processos/cnj/${cnj}/status-atualizacao`,
  documents: (cnj: string) => `/v1/processos/cnj/${cnj}/documentos-publicos`,
  request: (id: string) => `/v1/requests/${id}`,
};

/** Typed, because jest's own matchers are `any`. */
export const anyText: unknown = expect.any(String);
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);

const running: { close(): Promise<void> }[] = [];

/** Closed by {@link closeSandboxes} after each test. */
export async function start(options: SandboxOptions = {}): Promise<Caller> {
  const sandbox = await startSandbox(options);
  running.push(sandbox);
  return callerOf(sandbox);
}

export function callerOf(sandbox: Sandbox): Caller {
  const control = (path: string, body?: unknown): Promise<Reply> =>
    send(sandbox.controlUrl + path, body === undefined ? {} : { method: 'POST', body });
  return {
    ...sandbox,
    get: (path, headers = KEY) => send(sandbox.url + path, { headers }),
    post: (path, body = {}, headers = KEY) => send(sandbox.url + path, { method: 'POST', body, headers }),
    control,
    charges: async () => (await control('/charges')).json.charges,
    requests: async () => (await control('/requests')).json.requests,
  };
}

/** A receiver of webhooks, closed like the sandboxes. */
export async function startReceiver(): Promise<Receiver> {
  const receiver = await openReceiver();
  running.push(receiver);
  return receiver;
}

export async function closeSandboxes(): Promise<void> {
  await Promise.all(running.splice(0).map((sandbox) => sandbox.close()));
}

/** Calls `ask` until `holds` is true; the deadline turns a wrong answer into a failure instead of a hang. */
export async function until<T>(ask: () => Promise<T>, holds: (value: T) => boolean, deadlineMs = 15_000): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (Date.now() > end)
      throw new Error(`the condition did not hold in ${deadlineMs} ms; last seen: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Refreshes with public documents and waits for the end; returns the request id. */
export async function refreshed(sandbox: Caller, cnj: string, query = '?documentos_publicos=true'): Promise<string> {
  const accepted = await sandbox.post(paths.refresh(cnj) + query);
  const requestId = accepted.json.data.requestId;
  await until(
    () => sandbox.get(paths.request(requestId)),
    (reply) => reply.status !== 202,
  );
  return requestId;
}
