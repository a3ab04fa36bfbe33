/** A Fastify server of the sandbox: loopback only, bodies as bytes, no HEAD routes (a HEAD must not cost money). */
import fastify, { type FastifyInstance } from 'fastify';

export const HOST = '127.0.0.1';
const BODY_LIMIT_BYTES = 1_048_576;

export function createServer(): FastifyInstance {
  const server = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    return503OnClosing: false,
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  return server;
}

/** Numbers TCP connections 1, 2, … in order of acceptance. */
export function numberConnections(server: FastifyInstance, next: () => number): (socket: object) => number {
  const numbers = new WeakMap<object, number>();
  const number = (socket: object): void => void numbers.set(socket, next());
  server.server.on('connection', number);
  server.server.on('tramita-secure', number);
  return (socket) => numbers.get(socket) ?? 0;
}

export function bodyBytes(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
