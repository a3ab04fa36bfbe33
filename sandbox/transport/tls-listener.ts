/**
 * The service over TLS as well, on a port of its own, for the one fault that needs it: F2 cuts a connection during the
 * handshake, after the client's hello and before any request. The plain server handles the requests.
 */
import type { Server as HttpServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { createCertificate } from './self-signed.js';

export interface TlsListener {
  readonly server: Server;
  /** PEM, for clients to trust. */
  readonly certificate: string;
  close(): Promise<void>;
}

/** Calls `cutsHandshake` once per connection, when the client's hello has arrived. */
export function createTlsListener(plain: HttpServer, cutsHandshake: () => boolean): TlsListener {
  const { key, cert } = createCertificate(Date.now());
  const secure = createTlsServer({ key, cert });
  secure.on('request', (request, response) => plain.emit('request', request, response));
  secure.on('secureConnection', (socket) => plain.emit('tramita-secure', socket));
  secure.on('tlsClientError', () => undefined);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', (hello) => {
      if (cutsHandshake()) {
        socket.resetAndDestroy();
        return;
      }
      socket.pause();
      socket.unshift(hello);
      secure.emit('connection', socket);
    });
  });
  return {
    server,
    certificate: cert,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
