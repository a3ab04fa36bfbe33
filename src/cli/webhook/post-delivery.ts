/** Posts one delivery with exactly the headers given, repeated ones included: `fetch` and axios would join them. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The service gives up after 10 s (interface "Delivery"). */
const WITHIN_MS = 10_000;
const MAX_ANSWER_BYTES = 16_384;

/** Name of the error for a delivery without an answer. Whether the receiver has it is not known. */
export const NO_ANSWER = 'TramitaNoAnswer';

export interface DeliveryAnswer {
  readonly status: number;
  /** Only its beginning. */
  readonly body: string;
}

/** Follows no redirect. @throws an error named {@link NO_ANSWER}, which says why. */
export function postDelivery(
  url: URL,
  { body, headers }: { readonly body: Buffer; readonly headers: readonly string[] },
): Promise<DeliveryAnswer> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const fail = (error: { readonly code?: string; readonly name: string }): void =>
      reject(
        Object.assign(new Error(`tramita: ${url.origin} gave no answer (${error.code ?? error.name})`), {
          name: NO_ANSWER,
        }),
      );
    const outgoing = send(url, {
      method: 'POST',
      // A new connection: the receiver may be closing a kept-alive one, which would look like a refused delivery.
      agent: false,
      // Explicit, or NODE_TLS_REJECT_UNAUTHORIZED=0 would switch it off: deliveries carry the webhook's token.
      rejectUnauthorized: true,
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

/** Does the service count the delivery as made? (interface "Delivery") Pure. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
