/**
 * Body of an answer → bytes, or why there are none. Knows completeness (length or chunked end), encoding and the size cap
 * after inflating. The head is known when this runs, so every failure here is a *cut* answer, not an unknown one. JSON that is whole
 * although its transfer is not is told too: it may be paid for.
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
  /** Over our cap: the same bytes would come again. */
  readonly tooLarge?: true;
}

export type BodyRead = { readonly ok: true; readonly bytes: Buffer } | BodyFailure;

/** Why a body is not taken; thrown out of {@link openBody}'s source and turned into a {@link BodyFailure}. */
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

/**
 * The decoded bytes of an answer; they end without an error only when the whole answer has arrived, and then `onWhole` has
 * been called. We ask for `identity`; others are read anyway, because an answer that may be paid is not thrown away for a header.
 */
export async function* openBody(answer: IncomingMessage, onWhole: () => void): AsyncGenerator<Buffer> {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = DECODERS.get(encoding);
  let source: AsyncIterable<Buffer>;
  if (encoding === 'identity' || encoding === '') source = answer;
  else if (decoder !== undefined) source = pipeline(answer, decoder(), () => undefined);
  else throw new BodyRefused('the body has an encoding that was not asked for');
  let total = 0;
  try {
    for await (const chunk of source) {
      total += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw new BodyRefused(`the body is cut after ${total} bytes (${describeError(error)})`);
  }
  if (!answer.complete) throw new BodyRefused(`the body is cut after ${total} bytes`);
  onWhole();
}

/** Stops a body that is larger than we take. */
export async function* capped(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of source) {
    total += chunk.length;
    if (total > maxBytes) throw new BodyRefused(`the body is larger than ${maxBytes} bytes`, { tooLarge: true });
    yield chunk;
  }
}

/**
 * Never throws. Does not look at time: the caller's deadlines destroy the stream. `arrived` has what came, also when not all of
 * it did.
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
 * A text in the character set that its label names, in UTF-8: JSON has no other, and a paid answer is not thrown away for it. What
 * is UTF-8 stays as it came, whatever its label says.
 */
export function inUtf8(bytes: Buffer, contentType = ''): Buffer {
  const charset = /^[^;]*(?:json|text)[^;]*;.*\bcharset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1];
  if (charset === undefined || isUtf8(bytes)) return bytes;
  try {
    return Buffer.from(new TextDecoder(charset, { fatal: true }).decode(bytes));
  } catch {
    return bytes;
  }
}

/**
 * The body of an answer whose transfer broke off, where nothing of it is missing: an object or a list of JSON shows its own end, so
 * only the end of the transfer was lost (a last chunk, a length that is wrong). Undefined where the bytes are no such JSON.
 */
export function wholeJson(arrived: readonly Buffer[], contentType?: string): Buffer | undefined {
  const bytes = inUtf8(Buffer.concat(arrived), contentType);
  const json = parseStrictJson(bytes);
  return json.ok && typeof json.value === 'object' && json.value !== null ? bytes : undefined;
}

/** What ended a body, in words that are safe to show. */
export function failureOf(error: unknown): BodyFailure {
  return isRefused(error) ? error.failure : { ok: false, reason: `the body was not kept (${describeError(error)})` };
}

function isRefused(error: unknown): error is BodyRefused {
  return hasErrorName(error, 'BodyRefused');
}
