/**
 * A server that misbehaves on purpose, at the level of bytes: real sockets, no HTTP library between us and the fault. It
 * records what each connection received, so that a test can check whether a request arrived.
 */
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { listen } from '../../soak/loopback.js';
import { TEST_CERTIFICATE, TEST_PRIVATE_KEY } from './test-certificate.js';

/** What one connection received; `requests` has the text of each request whose head and body are complete. */
export interface Connection {
  bytes: number;
  text: string;
  requests: string[];
}

/** Runs when a connection is accepted; faults before any read go here. */
export type OnAccept = (socket: Socket, connection: Connection) => void;
/** Runs for every complete request of a connection. */
export type OnRequest = (socket: Socket, request: string, connection: Connection) => void;

export interface HostileServer {
  readonly port: number;
  readonly origin: string;
  /** One entry per accepted connection, in order. */
  readonly connections: Connection[];
  requests(): string[];
  close(): Promise<void>;
}

export async function startHostileServer(behaviour: {
  readonly onAccept?: OnAccept;
  readonly onRequest?: OnRequest;
  readonly tls?: boolean;
}): Promise<HostileServer> {
  const connections: Connection[] = [];
  const open = new Set<Socket>();
  const accept = (socket: Socket): void => {
    const connection: Connection = { bytes: 0, text: '', requests: [] };
    connections.push(connection);
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    behaviour.onAccept?.(socket, connection);
    let rest = '';
    socket.on('data', (chunk: Buffer) => {
      connection.bytes += chunk.length;
      connection.text += chunk.toString('latin1');
      rest += chunk.toString('latin1');
      for (let length = requestLength(rest); length > 0; length = requestLength(rest)) {
        const request = rest.slice(0, length);
        rest = rest.slice(length);
        connection.requests.push(request);
        behaviour.onRequest?.(socket, request, connection);
      }
    });
  };
  const server: Server =
    behaviour.tls === true
      ? createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_PRIVATE_KEY }, accept)
      : createTcpServer(accept);
  server.on('tlsClientError', () => undefined);
  const address = await listen(server);
  return {
    port: Number(new URL(`http://${address}`).port),
    origin: `${behaviour.tls === true ? 'https' : 'http'}://${address}`,
    connections,
    requests: () => connections.flatMap((connection) => connection.requests),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** Length of the first complete request in `text`, 0 while it is not complete. */
function requestLength(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return 0;
  const length = head + 4 + Number(/content-length: *(\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= length ? length : 0;
}

/** Bytes of an answer; `length: false` leaves framing to the end of the connection. */
export function answer(
  status: number,
  body: string | Buffer = '',
  { headers = {}, length }: { headers?: Record<string, string>; length?: number | false } = {},
): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const lines = [
    `HTTP/1.1 ${status} X`,
    ...Object.entries({ 'Content-Type': 'application/json', ...headers }).map(([name, value]) => `${name}: ${value}`),
    ...(length === false ? [] : [`Content-Length: ${length ?? bytes.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** Writes `first`, then one byte every `everyMs` for as long as the connection lives. */
export function drip(first: Buffer | string, everyMs: number, byte = ' '): OnRequest {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(byte), everyMs);
    socket.once('close', () => clearInterval(timer));
  };
}
