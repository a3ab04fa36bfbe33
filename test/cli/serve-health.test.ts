/** The private HTTP port of a worker: liveness, readiness and metrics. */
import { serveHealth } from '../../src/cli/serve-health.js';
import { freePort } from '../../src/local/index.js';

describe('the private port of a worker', () => {
  it('serves health at once, and metrics as soon as a worker can read them', async () => {
    const port = await freePort();
    let readiness: Record<string, boolean> | undefined;
    let metrics: (() => Promise<string>) | undefined;
    const server = await serveHealth({
      listen: { host: '127.0.0.1', port },
      readiness: () => readiness && Promise.resolve(readiness),
      metrics: () => metrics?.(),
    });
    const get = async (path: string): Promise<[number, string]> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`);
      return [answer.status, await answer.text()];
    };
    try {
      expect(await get('/healthz')).toEqual([200, 'ok\n']);
      expect(await get('/readyz')).toEqual([503, 'not ready\n']);
      expect(await get('/metrics')).toEqual([503, 'not ready\n']);
      readiness = { database: false, temporal: true, pollers: false };
      expect(await get('/readyz')).toEqual([503, 'not ready: database, pollers\n']);
      readiness = { database: true, temporal: true, pollers: true };
      metrics = () => Promise.resolve('tramita_calls_open 0\n');
      expect(await get('/readyz')).toEqual([200, 'ok\n']);
      expect(await get('/metrics?x=1')).toEqual([200, 'tramita_calls_open 0\n']);
      metrics = () => Promise.reject(new Error('canary'));
      expect(await get('/metrics')).toEqual([503, 'not ready\n']);
      expect((await get('/other'))[0]).toBe(404);
    } finally {
      await server.close();
    }
  });

  it('says how to go on if its port is taken', async () => {
    const listen = { host: '127.0.0.1', port: await freePort() };
    const nothing = { readiness: () => undefined, metrics: () => undefined };
    const server = await serveHealth({ listen, ...nothing });
    try {
      await expect(serveHealth({ listen, ...nothing })).rejects.toThrow(
        `TRAMITA_WORKER_OPS_LISTEN: cannot listen on 127.0.0.1:${listen.port} (EADDRINUSE); free the port or choose another address`,
      );
    } finally {
      await server.close();
    }
  });
});
