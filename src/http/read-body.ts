/**
 * Body of an answer → bytes, or why there are none. Knows completeness (length or chunked end), the size cap on the wire
 * and after inflating. The head is known when this runs, so every failure here is a *cut* answer, not an unknown one.
 */
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { describeError } from './redact.js';

export type BodyRead = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly reason: string };

const inflate = promisify(gunzip);

/** Never throws. Does not look at time: the caller's deadlines destroy the stream. */
export async function readBody(answer: IncomingMessage, maxBytes: number): Promise<BodyRead> {
  const chunks: Buffer[] = [];
  let total = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > maxBytes) return { ok: false, reason: `the body is larger than ${maxBytes} bytes` };
      chunks.push(chunk);
    }
  } catch (error) {
    return { ok: false, reason: `the body is cut after ${total} bytes (${describeError(error)})` };
  }
  if (!answer.complete) return { ok: false, reason: `the body is cut after ${total} bytes` };
  return decode(Buffer.concat(chunks), answer.headers['content-encoding'], maxBytes);
}

/** We ask for `identity`; gzip is read anyway, because an answer that may be paid is not thrown away for a header. */
async function decode(bytes: Buffer, encoding: string | undefined, maxBytes: number): Promise<BodyRead> {
  const name = (encoding ?? 'identity').trim().toLowerCase();
  if (name === 'identity' || name === '' || bytes.length === 0) return { ok: true, bytes };
  if (name !== 'gzip' && name !== 'x-gzip')
    return { ok: false, reason: 'the body has an encoding that was not asked for' };
  try {
    return { ok: true, bytes: await inflate(bytes, { maxOutputLength: maxBytes }) };
  } catch (error) {
    return { ok: false, reason: `the gzip body cannot be read (${describeError(error)})` };
  }
}
