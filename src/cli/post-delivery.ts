/** Posts one delivery with exactly the headers given, repeated ones included: `fetch` and axios would join them. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The service gives up after 10 s (interface-v1 "Delivery"). */
const WITHIN_MS = 10_000;
const MAX_ANSWER_BYTES = 16_384;

export interface DeliveryAnswer {
  readonly status: number;
  /** The beginning of it. */
  readonly body: string;
}

/** Follows no redirect. @throws `tramita: …` when there is no answer. */
export function postDelivery(
  url: URL,
  { body, headers }: { readonly body: Buffer; readonly headers: readonly string[] },
): Promise<DeliveryAnswer> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const fail = (error: { readonly code?: string; readonly name: string }): void =>
      reject(new Error(`tramita: ${url.origin} gave no answer (${error.code ?? error.name})`));
    const outgoing = send(url, {
      method: 'POST',
      headers: ['host', url.host, 'content-length', String(body.length), ...headers],
      signal: AbortSignal.timeout(WITHIN_MS),
    });
    outgoing.once('error', fail);
    outgoing.once('response', (incoming: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let length = 0;
      incoming.on('data', (chunk: Buffer) => {
        if (length < MAX_ANSWER_BYTES) chunks.push(chunk);
        length += chunk.length;
      });
      incoming.once('error', fail);
      incoming.once('end', () => {
        const text = Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8');
        resolve({ status: incoming.statusCode ?? 0, body: text });
      });
    });
    outgoing.end(body);
  });
}
