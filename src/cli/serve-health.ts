/**
 * The worker's private side over HTTP: `/healthz` (the process lives), `/readyz` (it takes tasks), `/metrics` (Prometheus).
 * No secret and nothing personal.
 */
import { createServer, type ServerResponse } from 'node:http';
import { errorCode, type ListenAddress } from '../config/index.js';
import { failure } from './exit-codes.js';

export interface HealthServer {
  readonly close: () => Promise<void>;
}

export async function serveHealth({
  listen,
  isReady,
  metrics,
}: {
  readonly listen: ListenAddress;
  readonly isReady: () => boolean;
  /** Undefined until there is a worker. */
  readonly metrics?: () => Promise<string> | undefined;
}): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/metrics') {
      void sendMetrics(response, metrics?.());
      return;
    }
    const known = path === '/healthz' || path === '/readyz';
    const isUp = path === '/healthz' || (path === '/readyz' && isReady());
    const text = !known ? 'not found' : isUp ? 'ok' : 'not ready';
    response.writeHead(!known ? 404 : isUp ? 200 : 503, { 'content-type': 'text/plain' }).end(`${text}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const where = `${listen.host}:${listen.port}`;
      reject(failure(`TRAMITA_WORKER_OPS_LISTEN: cannot listen on ${where} (${errorCode(error)})`));
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

async function sendMetrics(response: ServerResponse, metrics: Promise<string> | undefined): Promise<void> {
  const text = await metrics?.catch(() => undefined);
  const type = 'text/plain; version=0.0.4; charset=utf-8';
  response.writeHead(text === undefined ? 503 : 200, { 'content-type': type }).end(text ?? 'not ready\n');
}
