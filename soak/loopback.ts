/** Small servers on loopback, in soaks and in tests. */
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Listens on a free port; returns `127.0.0.1:port`. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface Served {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** A service of a few lines over HTTP. */
export async function serve(handle: RequestListener): Promise<Served> {
  const server = createServer(handle);
  return {
    url: `http://${await listen(server)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(answer: ServerResponse, status: number, body: unknown, headers: object = {}): void {
  const bytes = Buffer.from(JSON.stringify(body));
  const head = { 'content-type': 'application/json', 'content-length': bytes.length, ...headers };
  answer.writeHead(status, head).end(bytes);
}

/** Handles each request once its body has come. */
export function withBody(
  handle: (request: IncomingMessage, answer: ServerResponse, body: Buffer) => void,
): RequestListener {
  return (request, answer) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, answer, Buffer.concat(chunks)));
  };
}
