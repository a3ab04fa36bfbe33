/** Faults that change what the answer says rather than how it travels: F9, F12, F13, F15, F16, F18, `status`. Pure. */
import { gzipSync } from 'node:zlib';
import { isJsonObject } from '../../src/contract/index.js';
import { jsonAnswer, refuse, type Answer } from '../answer.js';
import type { Fault } from './fault-types.js';

/** `elsewhere`: another origin, for links that must not be followed. */
export function alterAnswer(answer: Answer, fault: Fault, elsewhere: string): Answer {
  switch (fault.fault) {
    case 'F9':
      return fault.status === 500 ? refuse(500, 'INTERNAL_ERROR', 'Something failed.') : gatewayPage(fault.status);
    case 'F12':
      return fault.variant === 'html' ? gatewayPage(200) : truncatedGzip(answer);
    case 'F13':
      return padded(answer, fault.bytes);
    case 'F15':
      return { status: 302, headers: { location: `${fault.to ?? elsewhere}/elsewhere` }, body: Buffer.alloc(0) };
    case 'F16':
      return withForeignLinks(answer, fault.to ?? elsewhere);
    default:
      return answer;
  }
}

/** The answer given instead of performing the operation. */
export function buildStatusAnswer(fault: Extract<Fault, { fault: 'status' | 'F18' }>): Answer {
  if (fault.fault === 'F18') return refuse(503, 'BALANCE_UNAVAILABLE', 'The balance cannot be read now.');
  const { status, retryAfter, body } = fault;
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (typeof body === 'string') {
    return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body: Buffer.from(body) };
  }
  return jsonAnswer(
    status,
    body ?? { error: { code: CODES[status] ?? 'ERROR', message: `Status ${status}.` } },
    headers,
  );
}

/** Codes beside the interface's own (only INVALID_WEBHOOK_URL is named there). */
const CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'API_KEY_REQUIRED',
  402: 'INSUFFICIENT_BALANCE',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  422: 'UNPROCESSABLE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_ERROR',
};

function gatewayPage(status: number): Answer {
  const body = Buffer.from(`<html><head><title>${status}</title></head><body><h1>${status} Gateway</h1></body></html>`);
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body };
}

/** The length is that of the cut stream, so only unpacking it shows the damage. */
function truncatedGzip(answer: Answer): Answer {
  const packed = gzipSync(answer.body);
  const body = packed.subarray(0, Math.floor(packed.length / 2));
  return { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' }, body };
}

function padded(answer: Answer, bytes: number): Answer {
  const parsed = parse(answer.body);
  return { ...answer, body: Buffer.from(JSON.stringify({ ...parsed, padding: 'x'.repeat(bytes) })) };
}

/** Every absolute URL of the answer keeps its path and loses its origin. */
function withForeignLinks(answer: Answer, origin: string): Answer {
  const move = (text: string): string => text.replace(/https?:\/\/[^/"]+\//g, `${origin}/`);
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, move(value)]));
  return { status: answer.status, headers, body: Buffer.from(move(answer.body.toString('utf8'))) };
}

function parse(body: Buffer): object {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
