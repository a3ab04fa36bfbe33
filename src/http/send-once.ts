/**
 * Sends one request over one line, once: axios is the façade, with our transport beneath it and our deadlines around it.
 * Always resolves to an {@link Exchange}; no error object of axios or Node leaves this file. It never follows a redirect,
 * never retries, and does not know what the call costs.
 */
import axios, { type AxiosInstance } from 'axios';
import type { IncomingMessage } from 'node:http';
import { present, type ServiceRequest } from '../contract/index.js';
import { buildAnswerHead } from './answer-head.js';
import { createBoundaryTransport, type Boundary, type Line } from './boundary-transport.js';
import { startDeadlines, type DeadlineLimits } from './deadlines.js';
import { inUtf8, openBody, readAnswerBody, wholeJson, type BodyFailure } from './read-body.js';
import { mayBeFile, receiveFile, type FileSink } from './receive-file.js';
import { describeError } from './redact.js';
import type { AnswerHead, Exchange } from './types.js';

/** Our requests are a few hundred bytes. */
const MAX_REQUEST_BYTES = 1_000_000;

export interface SendJob {
  readonly request: ServiceRequest;
  readonly path: string;
  readonly hostHeader: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly line: Line;
  readonly limits: DeadlineLimits;
  readonly maxBytes: number;
  readonly clock: () => number;
  readonly beforeWrite?: (() => string | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly sink?: FileSink | undefined;
}

/**
 * axios with every convenience off. `maxContentLength` stays off on purpose: on streams it hides the
 * answer behind a generator; `read-body.ts` has the cap. `decompress` likewise.
 */
export function createAxios(baseUrl: string): AxiosInstance {
  return axios.create({
    adapter: 'http',
    baseURL: baseUrl,
    allowAbsoluteUrls: false,
    maxRedirects: 0,
    sensitiveHeaders: ['x-api-key'],
    allowedSocketPaths: [],
    proxy: false,
    maxContentLength: -1,
    maxBodyLength: MAX_REQUEST_BYTES,
    decompress: false,
    responseType: 'stream',
    validateStatus: () => true,
    transformRequest: [(data: unknown) => data],
    transformResponse: [(data: unknown) => data],
  });
}

/** One exchange under way. */
interface Attempt {
  readonly boundary: Boundary;
  /** Set once the head of the answer is complete. */
  head?: AnswerHead;
  /** The decoded bytes of the body so far. */
  readonly arrived: Buffer[];
  /** True once the whole body has arrived. */
  isWhole: boolean;
}

export async function sendOnce(facade: AxiosInstance, job: SendJob): Promise<Exchange> {
  const { signal, line } = job;
  const boundary: Boundary = { handed: false, closed: false };
  const attempt: Attempt = { boundary, arrived: [], isWhole: false };
  const stopping = new AbortController();
  const stopped = new Promise<Exchange>((resolve) => {
    const onStop = (): void => {
      // Judge and close in one tick: nothing may be written between the verdict "not sent" and the end of the request.
      resolve(failed(attempt, { reason: String(stopping.signal.reason) }));
      boundary.closed = true;
      boundary.request?.destroy();
    };
    stopping.signal.addEventListener('abort', onStop, { once: true });
  });
  const deadlines = startDeadlines(job.limits, (reason) => stopping.abort(reason));
  const onCancel = (): void => stopping.abort('cancelled');
  const onData = (): void => deadlines.activity();
  // Runs after `onData` has counted the bytes of the 1xx head as activity.
  const onInterim = (): void => {
    if (attempt.head === undefined) deadlines.interim();
  };
  const release = (): void => {
    deadlines.clear();
    signal?.removeEventListener('abort', onCancel);
  };
  // Everything has arrived: no limit and no cancellation may discard it while it is written to disk.
  const onWhole = (): void => {
    attempt.isWhole = true;
    release();
  };
  signal?.addEventListener('abort', onCancel, { once: true });
  if (signal?.aborted === true) onCancel();

  const answered = sendAndReceive(facade, job, { attempt, onData, onInterim, onWhole });
  const exchange = await Promise.race([stopped, answered]);
  release();
  boundary.socket?.off('data', onData);
  // Only a complete answer leaves its connection in the pool; otherwise the connection is destroyed.
  if (exchange.kind !== 'answer' || !attempt.isWhole) boundary.request?.destroy();
  if ('socket' in line) line.socket.destroy();
  return exchange;
}

async function sendAndReceive(
  facade: AxiosInstance,
  job: SendJob,
  hooks: { readonly attempt: Attempt } & Readonly<Record<'onData' | 'onInterim' | 'onWhole', () => void>>,
): Promise<Exchange> {
  const { request, line, path, hostHeader, beforeWrite, maxBytes, sink } = job;
  const { attempt, onData, onInterim, onWhole } = hooks;
  const { boundary, arrived } = attempt;
  try {
    const response = await facade.request<IncomingMessage>({
      method: request.method,
      url: request.target,
      headers: { ...job.headers },
      ...present({ data: request.body }),
      transport: createBoundaryTransport({
        line,
        path,
        hostHeader,
        boundary,
        beforeWrite,
        onSocket: (socket) => socket.on('data', onData),
        onInterim: () => process.nextTick(onInterim),
        onHead: (answer) => (attempt.head = buildAnswerHead(answer.statusCode ?? 0, answer.headers, job.clock())),
      }),
    });
    const received =
      sink !== undefined && mayBeFile(response.status)
        ? await receiveFile(response.data, { sink, maxBytes, arrived, onWhole })
        : await readAnswerBody(openBody(response.data, onWhole), maxBytes, arrived);
    if (!received.ok) return failed(attempt, received);
    const { head } = attempt;
    if (head === undefined) return failed(attempt, { reason: 'the answer has no head' });
    return 'file' in received
      ? { kind: 'file', head, file: received.file }
      : { kind: 'answer', head, body: inUtf8(received.bytes, head.headers['content-type']) };
  } catch (error) {
    return failed(attempt, { reason: describeError(error) });
  }
}

/** The exchange of a transfer that did not complete; how far it got decides the kind. */
function failed({ boundary, head, arrived }: Attempt, { reason, tooLarge }: Omit<BodyFailure, 'ok'>): Exchange {
  if (!boundary.handed) return { kind: 'not_sent', reason: boundary.refusal ?? reason };
  if (head === undefined) return { kind: 'no_answer', reason };
  const body = tooLarge === true ? undefined : wholeJson(arrived, head.headers['content-type']);
  if (body !== undefined) return { kind: 'answer', head, body };
  return { kind: 'cut', head, reason, ...present({ tooLarge }) };
}
