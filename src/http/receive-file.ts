/**
 * Streams a paid answer that may be a file to this machine's disk, under its hash. Its first bytes decide, whatever its
 * content type says: a PDF goes to disk, anything else into memory like every other answer. A PDF counts as received only
 * when it is complete; anything less is a cut answer and leaves no file.
 */
import type { IncomingMessage } from 'node:http';
import { EDGE_BYTES, isDiscarded, isPdf, storeByHash, type Landing, type StoredFile } from '../files/index.js';
import { isFramed, paidPdfProblem } from './file-completeness.js';
import { capped, failureOf, joined, openBody, peek, readAnswerBody, type BodyRead } from './read-body.js';

export interface FileSink extends Landing {
  /** Cap of a file after decompression; 500 MB. Other answers keep the cap of JSON. */
  readonly maxBytes?: number;
}

const MAX_FILE_BYTES = 500_000_000;

export type FileOrBody = { readonly ok: true; readonly file: StoredFile } | BodyRead;

export interface Receiving {
  readonly sink: FileSink;
  /** Cap of an answer that is not a file. */
  readonly maxBytes: number;
  /** Collects the bytes of an answer that is not a file. */
  readonly arrived: Buffer[];
  /** Called when the last byte has arrived; writing to disk may still be under way. */
  readonly onWhole: () => void;
}

/** True for a success that carries the result itself; a 202 and every refusal are read as JSON. */
export function mayBeFile(status: number): boolean {
  return status >= 200 && status < 300 && status !== 202;
}

/** Never throws. Has no time limit: the caller's deadlines destroy the stream. */
export async function receiveFile(
  answer: IncomingMessage,
  { sink, maxBytes, arrived, onWhole }: Receiving,
): Promise<FileOrBody> {
  try {
    const body = openBody(answer, onWhole);
    const first = await peek(body, EDGE_BYTES, arrived);
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
