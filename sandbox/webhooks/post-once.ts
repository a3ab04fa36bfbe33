/** One delivery attempt: one POST on a connection of its own. Never throws; no answer within the time limit is null. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface PostInput {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
  readonly ended: AbortSignal;
}

/** The status of the answer, or null. */
export function postOnce({ url, headers, body, timeoutMs, ended }: PostInput): Promise<number | null> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const request = send(url, {
      method: 'POST',
      agent: false,
      headers: { ...headers, 'Content-Length': String(body.length) },
      signal: AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]),
    });
    request.on('error', () => resolve(null));
    request.on('response', (response) => {
      response.on('error', () => undefined).resume();
      resolve(response.statusCode ?? null);
    });
    request.end(body);
  });
}
