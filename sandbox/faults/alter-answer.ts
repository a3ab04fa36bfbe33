/** Faults that change the content of an answer rather than its transport: F9, F12, F13, F15 to F18, `drift`, `status`. Pure. */
import { gzipSync } from 'node:zlib';
import { isJsonObject } from '../../src/contract/index.js';
import { jsonAnswer, refuse, type Answer } from '../answer.js';
import { changeMembers, changeRecords } from './change-json.js';
import type { Fault, FaultOf } from './fault-types.js';

export interface Surroundings {
  /** Another origin, for links that must not be followed. */
  readonly elsewhere: string;
  /** The request's own absolute URL. */
  readonly self: string;
}

export function alterAnswer(answer: Answer, fault: Fault, { elsewhere, self }: Surroundings): Answer {
  switch (fault.fault) {
    case 'F9':
      return fault.status === 500 ? refuse(500, 'INTERNAL_ERROR', 'Something failed.') : gatewayPage(fault.status);
    case 'F12':
      return unreadable(answer, fault.variant);
    case 'F13':
      return padded(answer, fault.bytes);
    case 'F15':
      return { status: 302, headers: { location: `${fault.to ?? elsewhere}/elsewhere` }, body: Buffer.alloc(0) };
    case 'F16':
      return withForeignLinks(answer, fault.to ?? elsewhere);
    case 'F17':
      return withOtherPaging(answer, fault.variant, self);
    case 'drift':
      return drifted(answer, fault.variant);
    default:
      return answer;
  }
}

function unreadable(answer: Answer, variant: FaultOf<'F12'>['variant']): Answer {
  switch (variant) {
    case 'html':
      return gatewayPage(200);
    case 'gzip':
      return truncatedGzip(answer);
    case 'json':
      return { ...answer, body: answer.body.subarray(0, Math.floor(answer.body.length / 2)) };
    case 'empty':
      return { ...answer, body: Buffer.alloc(0) };
    case 'type':
      return { ...answer, headers: { ...answer.headers, 'content-type': 'text/html; charset=utf-8' } };
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

/** Codes that the interface does not name (it names only INVALID_WEBHOOK_URL). */
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

/** Content-Length matches the cut stream, so only decompressing it shows the damage. */
function truncatedGzip(answer: Answer): Answer {
  const packed = gzipSync(answer.body);
  const body = packed.subarray(0, Math.floor(packed.length / 2));
  return { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' }, body };
}

function padded(answer: Answer, bytes: number): Answer {
  // A PDF stays a valid PDF: readers stop at its end mark.
  if (answer.headers['content-type'] === 'application/pdf') {
    return { ...answer, body: Buffer.concat([answer.body, Buffer.alloc(bytes, ' ')]) };
  }
  const parsed = parse(answer.body);
  return { ...answer, body: Buffer.from(JSON.stringify({ ...parsed, padding: 'x'.repeat(bytes) })) };
}

/** Replaces the origin of every absolute URL in the answer and keeps the path. */
function withForeignLinks(answer: Answer, origin: string): Answer {
  const move = (text: string): string => text.replace(/https?:\/\/[^/"]+\//g, `${origin}/`);
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, move(value)]));
  return { status: answer.status, headers, body: Buffer.from(move(answer.body.toString('utf8'))) };
}

function withOtherPaging(answer: Answer, variant: FaultOf<'F17'>['variant'], self: string): Answer {
  if (variant === 'version') {
    return changeMembers(answer, (name, value) =>
      /^atualizado_?em$/i.test(name) && typeof value === 'string'
        ? new Date(Date.parse(value) + 1 + Math.floor(Math.random() * 1_000_000)).toISOString()
        : undefined,
    );
  }
  const first = new URL(self);
  first.searchParams.set('page', '1');
  const href = variant === 'self' ? self : first.href;
  return changeMembers(answer, (name) => (name === 'links' ? { next: { href } } : undefined));
}

function drifted(answer: Answer, variant: FaultOf<'drift'>['variant']): Answer {
  return changeRecords(answer, (records) => {
    const [record, ...rest] = records;
    if (record === undefined) return records;
    switch (variant) {
      case 'duplicate-item':
        return [record, ...records];
      case 'no-cnj':
        return [Object.fromEntries(Object.entries(record).filter(([name]) => !/cnj/i.test(name))), ...rest];
      case 'unknown-members':
        return [{ ...record, campoNovo: { aninhado: [1, null] }, outro_campo: 'x' }, ...rest];
    }
  });
}

function parse(body: Buffer): object {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
