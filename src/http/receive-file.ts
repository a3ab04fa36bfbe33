/**
 * A paid answer that may be a file → this machine's disk, under its hash, streamed. Its first bytes decide what it is: a PDF goes to
 * disk, anything else into memory like every other answer, whatever its label says. A PDF counts as received only when it is
 * whole; anything less is a cut answer and leaves no file.
 */
import type { IncomingMessage } from 'node:http';
import { EDGE_BYTES, isDiscarded, isPdf, storeByHash, type Landing, type StoredFile } from '../files/index.js';
import { isFramed, paidPdfProblem } from './file-completeness.js';
import { capped, failureOf, openBody, readAnswerBody, type BodyRead } from './read-body.js';

export interface FileSink extends Landing {
  /** Of a file, inflated; 500 MB. Other answers keep the cap of JSON. */
  readonly maxBytes?: number;
}

const MAX_FILE_BYTES = 500_000_000;

export type FileOrBody = { readonly ok: true; readonly file: StoredFile } | BodyRead;

export interface Receiving {
  readonly sink: FileSink;
  /** Of an answer that is no file. */
  readonly maxBytes: number;
  /** Takes the bytes of an answer that is no file, as they come. */
  readonly arrived: Buffer[];
  /** Called when the last byte has arrived; writing may still go on. */
  readonly onWhole: () => void;
}

/** A successful answer that is the work itself; a 202 and every refusal are read as JSON. */
export function mayBeFile(status: number): boolean {
  return status >= 200 && status < 300 && status !== 202;
}

/** Never throws. Does not look at time: the caller's deadlines destroy the stream. */
export async function receiveFile(
  answer: IncomingMessage,
  { sink, maxBytes, arrived, onWhole }: Receiving,
): Promise<FileOrBody> {
  try {
    const body = openBody(answer, onWhole);
    const first = await peek(body, arrived);
    arrived.length = 0;
    const whole = joined(first, body);
    if (!isPdf(first)) return await readAnswerBody(whole, maxBytes, arrived);
    const transfer = { status: answer.statusCode ?? 0, framed: isFramed(answer.headers) };
    const file = await storeByHash(sink, capped(whole, sink.maxBytes ?? MAX_FILE_BYTES), (edges) =>
      paidPdfProblem(edges, transfer),
    );
    return { ok: true, file };
  } catch (error) {
    return isDiscarded(error) ? { ok: false, reason: error.reason } : failureOf(error);
  }
}

/** The first bytes of a stream, taken out of it; they are in `arrived` as soon as they come. */
async function peek(stream: AsyncGenerator<Buffer>, arrived: Buffer[]): Promise<Buffer> {
  let length = 0;
  while (length < EDGE_BYTES) {
    const next = await stream.next();
    if (next.done === true) break;
    arrived.push(next.value);
    length += next.value.length;
  }
  return Buffer.concat(arrived);
}

async function* joined(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* rest;
}
