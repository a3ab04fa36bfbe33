/** Health of the worker over HTTP: `/healthz` (the process lives) and `/readyz` (it takes tasks). No secret, no figures. */
import { createServer } from 'node:http';
import type { ListenAddress } from '../config/index.js';
import { failure } from './exit-codes.js';

export interface HealthServer {
  readonly close: () => Promise<void>;
}

export async function serveHealth({
  listen,
  isReady,
}: {
  readonly listen: ListenAddress;
  readonly isReady: () => boolean;
}): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    const known = path === '/healthz' || path === '/readyz';
    const isUp = path === '/healthz' || (path === '/readyz' && isReady());
    const text = !known ? 'not found' : isUp ? 'ok' : 'not ready';
    response.writeHead(!known ? 404 : isUp ? 200 : 503, { 'content-type': 'text/plain' }).end(`${text}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${listen.host}:${listen.port}`;
      reject(failure(`TRAMITA_WORKER_OPS_LISTEN: cannot listen on ${where} (${error.code ?? 'unknown error'})`));
    });
    server.listen(listen.port, listen.host, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
