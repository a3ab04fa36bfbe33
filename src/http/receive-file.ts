/**
 * A paid answer that is a file → the content-addressed store, streamed. It counts as received only when it is whole: by its
 * declared length, by the end of the transfer, and by the marks of its kind. Anything less is a cut answer.
 */
import type { IncomingMessage } from 'node:http';
import { fileProblem } from './file-completeness.js';
import { Discarded, storeByHash, type StoredFile } from './file-store.js';
import type { AnswerHead } from './types.js';

export interface FileSink {
  /** The files directory; the file is put under `sha256/` in it. */
  readonly directory: string;
  /** 500 MB. */
  readonly maxBytes?: number;
}

const MAX_FILE_BYTES = 500_000_000;

/** A successful answer that does not call itself JSON; a 202 and every refusal are read as JSON. */
export function isFile({ status, headers }: AnswerHead): boolean {
  return status >= 200 && status < 300 && status !== 202 && !/\bjson\b/i.test(headers['content-type'] ?? '');
}

/** Rejects with {@link Discarded} when the bytes are not a whole file, with the stream's own error when it broke. */
export function receiveFile(answer: IncomingMessage, head: AnswerHead, sink: FileSink): Promise<StoredFile> {
  const { headers } = head;
  const claim = { contentType: headers['content-type'], contentLength: headers['content-length'] };
  return storeByHash(sink.directory, wholeBody(answer, sink.maxBytes ?? MAX_FILE_BYTES), (edges) => {
    const isPdf = edges.first.subarray(0, 5).toString('latin1') === '%PDF-';
    return isPdf ? fileProblem(edges, claim) : 'the answer is no PDF';
  });
}

async function* wholeBody(answer: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    total += chunk.length;
    if (total > maxBytes) throw new Discarded(`the file is larger than ${maxBytes} bytes`);
    yield chunk;
  }
  if (!answer.complete) throw new Discarded(`the file is cut after ${total} bytes`);
}
