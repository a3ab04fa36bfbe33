/**
 * Reads the body of an answer into bytes, or says why it cannot. Checks completeness (length or chunked end), encoding and
 * the size after decompression. The head is already known, so every failure here is a *cut* answer, not an unknown one.
 * Complete JSON is recognised even when its transfer broke off: it may have been paid for.
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { hasErrorName } from '../contract/values/index.js';
import { describeError } from './redact.js';
import { parseStrictJson } from './strict-json.js';

export interface BodyFailure {
  readonly ok: false;
  readonly reason: string;
  /** Over our cap: asking again would return the same bytes. */
  readonly tooLarge?: true;
}

export type BodyRead = { readonly ok: true; readonly bytes: Buffer } | BodyFailure;

/** Why a body is refused. Thrown by the generators of this file, turned into a {@link BodyFailure}. */
class BodyRefused extends Error {
  override readonly name = 'BodyRefused';
  readonly failure: BodyFailure;
  constructor(reason: string, extra: { readonly tooLarge?: true } = {}) {
    super(`tramita: ${reason}`);
    this.failure = { ok: false, reason, ...extra };
  }
}

const DECODERS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/** How JSON and a PDF begin, in bytes as Latin-1. */
const PLAIN = /^(?:(?:\xef\xbb\xbf)?\s*[{[]|%PDF-)/;
/** The same without what Brotli may begin with too: it has no mark of its own. */
const PLAIN_BESIDE_BROTLI = /^(?:(?:\xef\xbb\xbf)?\{|%PDF-)/;
/** As many as `%PDF-` has. */
const PLAIN_BYTES = 5;

/**
 * Yields the decoded bytes of an answer. Ends without an error only after the whole answer has arrived and `onWhole` was
 * called. We ask for `identity` but decode others too, and take what is not encoded as it is: a paid answer is not thrown
 * away over a header.
 */
export async function* openBody(answer: IncomingMessage, onWhole: () => void): AsyncGenerator<Buffer> {
  let total = 0;
  try {
    for await (const chunk of await decoded(answer)) {
      total += chunk.length;
      yield chunk;
    }
  } catch (error) {
    if (isRefused(error)) throw error;
    throw new BodyRefused(`the body is truncated after ${total} bytes (${describeError(error)})`);
  }
  if (!answer.complete) throw new BodyRefused(`the body is truncated after ${total} bytes`);
  onWhole();
}

/** A proxy may unpack a body and leave its header, or add a word of its own. */
async function decoded(answer: IncomingMessage): Promise<AsyncIterable<Buffer>> {
  const named = (answer.headers['content-encoding'] ?? '').toLowerCase().split(',');
  const codings = named.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  if (codings.length === 0) return answer;
  const coding = codings.join();
  const raw = answer[Symbol.asyncIterator]() as AsyncGenerator<Buffer>;
  const first = await peek(raw, PLAIN_BYTES);
  const body = joined(first, raw);
  if ((coding === 'br' ? PLAIN_BESIDE_BROTLI : PLAIN).test(first.toString('latin1'))) return body;
  const decoder = DECODERS.get(coding);
  if (decoder === undefined) throw new BodyRefused('the body has an encoding that was not asked for');
  return pipeline(body, decoder(), () => undefined);
}

/** Takes at least `bytes` bytes out of a stream, or all; each chunk is in `arrived` as soon as it comes. */
export async function peek(stream: AsyncIterator<Buffer>, bytes: number, arrived: Buffer[] = []): Promise<Buffer> {
  let length = 0;
  while (length < bytes) {
    const next = await stream.next();
    if (next.done === true) break;
    arrived.push(next.value);
    length += next.value.length;
  }
  return Buffer.concat(arrived);
}

/** A stream with the bytes that {@link peek} took out of it. */
export async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
}

/** Throws when the body is larger than `maxBytes`. */
export async function* capped(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.length;
    if (total > maxBytes) throw new BodyRefused(`the body is larger than ${maxBytes} bytes`, { tooLarge: true });
    yield chunk;
  }
}

/**
 * Never throws. Has no time limit: the caller's deadlines destroy the stream. `arrived` collects the bytes, also of a body
 * that is cut.
 */
export async function readAnswerBody(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  arrived: Buffer[] = [],
): Promise<BodyRead> {
  try {
    for await (const chunk of capped(source, maxBytes)) arrived.push(chunk);
    return { ok: true, bytes: Buffer.concat(arrived) };
  } catch (error) {
    return failureOf(error);
  }
}

/**
 * Converts text from the charset in its content type to UTF-8, the only one that JSON allows: a paid answer is not thrown
 * away over its charset. Valid UTF-8 stays as it is, whatever the content type says.
 */
export function inUtf8(bytes: Buffer, contentType = ''): Buffer {
  const declared = /^[^;]*(?:json|text)[^;]*;.*\bcharset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  const charset = declared === undefined ? undefined : (markedUtf16(bytes) ?? declared);
  // UTF-16 in ASCII is valid UTF-8 with NUL characters, which JSON never has.
  if (charset === undefined || (isUtf8(bytes) && !bytes.includes(0))) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch {
    return bytes;
  }
}

/** The byte order of UTF-16 by its mark, which `charset=utf-16` leaves to it (RFC 2781, 4.3). */
function markedUtf16(bytes: Buffer): string | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/**
 * The body of an answer whose transfer broke off, if it is a complete JSON object or list. These show their own end, so only
 * the end of the transfer was lost (a last chunk, a wrong length). Undefined for anything else.
 */
export function wholeJson(arrived: readonly Buffer[], contentType?: string): Buffer | undefined {
  const bytes = inUtf8(Buffer.concat(arrived), contentType);
  const json = parseStrictJson(bytes);
  return json.ok && typeof json.value === 'object' && json.value !== null ? bytes : undefined;
}

/** Why reading a body failed, in words that are safe to show. */
export function failureOf(error: unknown): BodyFailure {
  return isRefused(error) ? error.failure : { ok: false, reason: `the body was not kept (${describeError(error)})` };
}

export function isRefused(error: unknown): error is BodyRefused {
  return hasErrorName(error, 'BodyRefused');
}
