/** Posts one delivery with exactly the headers given, repeated ones included: `fetch` and axios would join them. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The service gives up after 10 s (interface "Delivery"). */
const WITHIN_MS = 10_000;
const MAX_ANSWER_BYTES = 16_384;

/** Name of the error when the receiver, or the way to it, gave no answer; nothing else of it is known. */
export const NO_ANSWER = 'TramitaNoAnswer';

export interface DeliveryAnswer {
  readonly status: number;
  /** The beginning of it. */
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
      // A connection of its own: one that is kept may be closed just now, which looks like an answer that was refused.
      agent: false,
      // Said, or NODE_TLS_REJECT_UNAUTHORIZED=0 would switch it off: deliveries carry the webhook's token.
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

/** What the service counts as delivered (interface "Delivery"). Pure. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
