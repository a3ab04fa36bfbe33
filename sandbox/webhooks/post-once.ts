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
export function postOnce(input: PostInput): Promise<number | null> {
  const { url, headers, body, timeoutMs, ended } = input;
  return new Promise((resolve) => {
    if (ended.aborted) {
      resolve(null);
      return;
    }
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const options = { method: 'POST', agent: false, headers: { ...headers, 'Content-Length': String(body.length) } };
    const request = send(url, options, (response) => {
      response.resume();
      response.on('error', () => undefined);
      done(response.statusCode ?? null);
    });
    const abort = (): void => {
      request.destroy();
      done(null);
    };
    const timer = setTimeout(abort, timeoutMs);
    ended.addEventListener('abort', abort, { once: true });
    const done = (status: number | null): void => {
      clearTimeout(timer);
      ended.removeEventListener('abort', abort);
      resolve(status);
    };
    request.on('error', () => done(null));
    request.end(body);
  });
}
