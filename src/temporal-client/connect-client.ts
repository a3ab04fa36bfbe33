/** Client connections: one that waits for its server as long as the program runs, and one whose server must answer now. */
import { Connection, type ConnectionOptions } from '@temporalio/client';
import type { TemporalConnection } from '../config/index.js';
import { createClientInterceptors } from './client-interceptors.js';
import { codeIn, tlsProblem } from './tls-problem.js';

/** grpc-js backs off up to 2 minutes by default; these make a client usable within about 2 s of the server's return. */
const FAST_RECONNECT = {
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.min_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 1_000,
} as const;

/**
 * Connection for a `Client` that connects at its first call, and again after outages: for programs that outlive the server.
 *
 * @throws `tramita: …` when its client certificate cannot be used.
 */
export function connectClient(temporal: TemporalConnection): Connection {
  try {
    return Connection.lazy({ ...optionsOf(temporal), channelArgs: FAST_RECONNECT });
  } catch (error) {
    // A certificate that cannot be used: the library's own text names no setting, and is not passed on.
    // eslint-disable-next-line preserve-caught-error -- no error object of a library leaves this room
    throw new Error(`tramita: ${tlsProblem(temporal.address, codeIn(error), true).text}`);
  }
}

/** Connection for a `Client` to a server that must answer now. Rejects with the library's error if none answers in time. */
export function connectClientNow(temporal: TemporalConnection, withinMs: number): Promise<Connection> {
  return Connection.connect({ ...optionsOf(temporal), connectTimeout: withinMs });
}

function optionsOf({ connectionOptions }: TemporalConnection): ConnectionOptions {
  return { ...(connectionOptions as ConnectionOptions), interceptors: createClientInterceptors() };
}
