/**
 * Opens one TCP or TLS connection and says whether it was established. This is the send boundary: until this function
 * returns `ok`, no byte of a request can have been written, whatever the error code says (measured: ECONNRESET alone has
 * five meanings). It sends nothing itself.
 */
import { present } from '../contract/index.js';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describeError } from './redact.js';

export interface ConnectTarget {
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  /** PEM of certificate authorities to trust instead of the system's. */
  readonly ca?: string;
}

export type Opened = { readonly ok: true; readonly socket: Socket } | { readonly ok: false; readonly reason: string };

/** Never throws. On `ok` the socket belongs to the caller, who must destroy it. */
export function openConnection(target: ConnectTarget, timeoutMs: number, signal?: AbortSignal): Promise<Opened> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve({ ok: false, reason: 'cancelled before connecting' });
      return;
    }
    const socket = target.secure ? startTls(target) : connectTcp({ host: target.host, port: target.port });
    const settle = (opened: Opened): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (!opened.ok) socket.destroy();
      resolve(opened);
    };
    const fail = (reason: string): void => settle({ ok: false, reason });
    const onAbort = (): void => fail('cancelled while connecting');
    const timer = setTimeout(() => fail(`no connection within ${timeoutMs} ms`), timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.setNoDelay(true);
    // Attached for the socket's life: an error before the hand-over must not become an uncaught exception.
    socket.on('error', (error) => fail(`no connection: ${describeError(error)}`));
    socket.once('close', () => fail('the connection was closed before it was established'));
    socket.once(target.secure ? 'secureConnect' : 'connect', () => settle({ ok: true, socket }));
  });
}

function startTls({ host, port, ca }: ConnectTarget): Socket {
  return connectTls({
    host,
    port,
    minVersion: 'TLSv1.2',
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would otherwise hand the API key to any server that answers.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...present({ ca }),
  });
}
