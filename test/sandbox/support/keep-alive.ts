/** A fast client for many calls: connections are reused, nothing is repeated, and what happened is told in a few words. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface Answered {
  /** 0: no head came. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly complete: boolean;
}

export interface FastClient {
  call(method: string, path: string, body?: string): Promise<Answered>;
  close(): void;
}

export function createFastClient(
  origin: string,
  options: { readonly key?: string; readonly sockets?: number } = {},
): FastClient {
  const agent = new Agent({ keepAlive: true, maxSockets: options.sockets ?? 16 });
  const { hostname, port } = new URL(origin);
  const key = options.key ?? 'sandbox-key';
  return {
    call: (method, path, body) =>
      new Promise((resolve) => {
        const headers = {
          'x-api-key': key,
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        };
        const nothing: Answered = { status: 0, headers: {}, text: '', complete: false };
        let request;
        try {
          request = httpRequest({ hostname, port, path, method, agent, headers }, (response) => {
            const chunks: Buffer[] = [];
            const done = (complete: boolean): void =>
              resolve({
                status: response.statusCode ?? 0,
                headers: response.headers,
                text: Buffer.concat(chunks).toString('utf8'),
                complete,
              });
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('end', () => done(true));
            response.on('error', () => done(false));
          });
        } catch {
          // A path that no request line may carry.
          resolve(nothing);
          return;
        }
        request.on('error', () => resolve(nothing));
        request.end(body);
      }),
    close: () => agent.destroy(),
  };
}
