/**
 * One request over one line, once: axios as the façade, our transport beneath it, our deadlines around it. Answers with
 * an {@link Exchange} whatever happens; no error object of axios or Node leaves this file. It never follows a redirect,
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

/** Requests of ours are a few hundred bytes. */
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

export async function sendOnce(facade: AxiosInstance, job: SendJob): Promise<Exchange> {
  const boundary: Boundary = { handed: false, closed: false };
  let head: AnswerHead | undefined;
  const transfer = { isWhole: false };
  const arrived: Buffer[] = [];
  const fail = ({ reason, tooLarge }: Omit<BodyFailure, 'ok'>): Exchange => {
    if (!boundary.handed) return { kind: 'not_sent', reason: boundary.refusal ?? reason };
    if (head === undefined) return { kind: 'no_answer', reason };
    const body = tooLarge === true ? undefined : wholeJson(arrived, head.headers['content-type']);
    if (body !== undefined) return { kind: 'answer', head, body };
    return { kind: 'cut', head, reason, ...present({ tooLarge }) };
  };

  let stop: (reason: string) => void = () => undefined;
  const stopped = new Promise<Exchange>((resolve) => {
    stop = (reason) => {
      // Judged and shut in one go: nothing may be written between "not sent" and the end of the request.
      resolve(fail({ reason }));
      boundary.closed = true;
      boundary.request?.destroy();
    };
  });
  const deadlines = startDeadlines(job.limits, (reason) => stop(reason));
  const onAbort = (): void => stop('cancelled');
  const onData = (): void => deadlines.activity();
  // Asked once the bytes of this head have counted as what they are: activity.
  const onInterim = (): void => {
    if (head === undefined) deadlines.interim();
  };
  // All has arrived: neither a limit nor a cancellation may take it away while it is being written to disk.
  const onWhole = (): void => {
    transfer.isWhole = true;
    deadlines.clear();
    job.signal?.removeEventListener('abort', onAbort);
  };
  job.signal?.addEventListener('abort', onAbort, { once: true });
  if (job.signal?.aborted === true) onAbort();

  const answered = async (): Promise<Exchange> => {
    try {
      const response = await facade.request<IncomingMessage>({
        method: job.request.method,
        url: job.request.target,
        headers: { ...job.headers },
        ...present({ data: job.request.body }),
        transport: createBoundaryTransport({
          line: job.line,
          path: job.path,
          hostHeader: job.hostHeader,
          boundary,
          beforeWrite: job.beforeWrite,
          onSocket: (socket) => socket.on('data', onData),
          onInterim: () => process.nextTick(onInterim),
          onHead: (answer) => (head = buildAnswerHead(answer.statusCode ?? 0, answer.headers, job.clock())),
        }),
      });
      const { maxBytes, sink } = job;
      const received =
        sink !== undefined && mayBeFile(response.status)
          ? await receiveFile(response.data, { sink, maxBytes, arrived, onWhole })
          : await readAnswerBody(openBody(response.data, onWhole), maxBytes, arrived);
      if (!received.ok) return fail(received);
      if (head === undefined) return fail({ reason: 'the answer has no head' });
      return 'file' in received
        ? { kind: 'file', head, file: received.file }
        : { kind: 'answer', head, body: inUtf8(received.bytes, head.headers['content-type']) };
    } catch (error) {
      return fail({ reason: describeError(error) });
    }
  };

  const exchange = await Promise.race([stopped, answered()]);
  deadlines.clear();
  job.signal?.removeEventListener('abort', onAbort);
  boundary.socket?.off('data', onData);
  // An answer that came whole over the pool leaves its connection there; everything else ends with its connection.
  if (exchange.kind !== 'answer' || !transfer.isWhole) boundary.request?.destroy();
  if ('socket' in job.line) job.line.socket.destroy();
  return exchange;
}
