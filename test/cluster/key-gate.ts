/**
 * A proxy in front of a Temporal server that works like Temporal Cloud's endpoint for API keys: TLS without a client certificate,
 * and only calls with `authorization: Bearer <key>` pass. It records path, key and namespace of each call.
 */
import {
  connect,
  constants,
  createSecureServer,
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { Socket } from 'node:net';
import { listen } from '../../soak/loopback.js';

interface Seen {
  readonly path: string;
  readonly authorization: string;
  readonly namespace: string;
}

export interface KeyGate {
  readonly address: string;
  /** Every call, refused ones included. */
  readonly seen: readonly Seen[];
  close(): Promise<void>;
}

const UNAUTHENTICATED = '16';

export async function openKeyGate(options: {
  readonly key: string;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer };
  readonly target: string;
  readonly targetTls: SecureClientSessionOptions;
}): Promise<KeyGate> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  let upstream: ClientHttp2Session | undefined;
  const session = (): ClientHttp2Session => {
    if (upstream === undefined || upstream.closed || upstream.destroyed) {
      upstream = connect(`https://${options.target}`, options.targetTls);
      upstream.on('error', () => undefined);
    }
    return upstream;
  };
  const server = createSecureServer(options.tls);
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const call = {
      path: headers[':path'] ?? '',
      authorization: headers.authorization ?? '',
      namespace: String(headers['temporal-namespace'] ?? ''),
    };
    seen.push(call);
    if (call.authorization !== `Bearer ${options.key}`) {
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': UNAUTHENTICATED, 'grpc-message': 'no' },
        { endStream: true },
      );
      return;
    }
    const forwarded = session().request(withoutConnection(headers));
    let trailers: IncomingHttpHeaders = {};
    forwarded.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    forwarded.on('trailers', (sent: IncomingHttpHeaders) => {
      trailers = sent;
    });
    forwarded.once('response', (answer) => {
      if (stream.destroyed) return;
      // An error comes without a body, and its status in the first headers.
      if (answer['grpc-status'] !== undefined) {
        stream.respond(withoutConnection(answer), { endStream: true });
        return;
      }
      stream.respond(withoutConnection(answer), { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers(withoutConnection(trailers)));
      forwarded.pipe(stream);
    });
    stream.once('close', () => forwarded.close());
    stream.pipe(forwarded);
  });
  return {
    address: await listen(server),
    seen,
    close: async () => {
      upstream?.destroy();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Without what belongs to one connection: the name of the server, its scheme, and Node's own symbols. */
function withoutConnection(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || name === ':authority' ? [] : [[name, value as string]],
    ),
  );
}
