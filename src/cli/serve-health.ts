/**
 * The worker's private side over HTTP: `/healthz` (the process lives), `/readyz` (it takes tasks: pollers run, database and
 * Temporal answer), `/metrics` (Prometheus). No secret and nothing personal.
 */
import { createServer, type ServerResponse } from 'node:http';
import { errorCode, type ListenAddress } from '../config/index.js';
import { failure } from './exit-codes.js';

export async function serveHealth({
  listen,
  readiness,
  metrics,
}: {
  readonly listen: ListenAddress;
  /** Whether each dependency is available. Undefined before the worker takes tasks, and once it is told to stop. */
  readonly readiness: () => Promise<Readonly<Record<string, boolean>>> | undefined;
  /** Undefined until there is a worker. */
  readonly metrics: () => Promise<string> | undefined;
}): Promise<{ readonly close: () => Promise<void> }> {
  const readinessShared = shareWhileUnderWay(readiness);
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/metrics') {
      void sendMetrics(response, metrics());
      return;
    }
    if (path === '/readyz') {
      void sendReadiness(response, readinessShared());
      return;
    }
    const known = path === '/healthz';
    response.writeHead(known ? 200 : 404, { 'content-type': 'text/plain' }).end(known ? 'ok\n' : 'not found\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const where = `${listen.host}:${listen.port}`;
      const problem = `TRAMITA_WORKER_OPS_LISTEN: cannot listen on ${where} (${errorCode(error)})`;
      reject(failure(`${problem}; free the port or choose another address`));
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

/** Concurrent probes share one check. */
function shareWhileUnderWay<T>(check: () => Promise<T> | undefined): () => Promise<T> | undefined {
  let underWay: Promise<T> | undefined;
  return () =>
    (underWay ??= check()?.finally(() => {
      underWay = undefined;
    }));
}

async function sendReadiness(
  response: ServerResponse,
  readiness: Promise<Readonly<Record<string, boolean>>> | undefined,
): Promise<void> {
  const available = await readiness?.catch(() => undefined);
  const missing = Object.entries(available ?? {}).flatMap(([name, isAvailable]) => (isAvailable ? [] : [name]));
  const isReady = available !== undefined && missing.length === 0;
  const text = isReady ? 'ok' : `not ready${missing.length === 0 ? '' : `: ${missing.join(', ')}`}`;
  response.writeHead(isReady ? 200 : 503, { 'content-type': 'text/plain' }).end(`${text}\n`);
}
