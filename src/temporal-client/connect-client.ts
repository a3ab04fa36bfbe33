/** Connections of a client: one that waits for its server as long as it lives, and one that must be there now. */
import { Connection, type ConnectionOptions } from '@temporalio/client';
import type { TemporalConnection } from '../config/index.js';
import { createClientInterceptors } from './client-interceptors.js';

/** grpc-js backs off up to 2 minutes by default; these make a client usable within about 2 s of the server's return. */
const FAST_RECONNECT = {
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.min_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 1_000,
} as const;

/** Connection for a `Client` that connects at its first call, and again after outages: for programs that outlive the server. */
export function connectClient(temporal: TemporalConnection): Connection {
  return Connection.lazy({ ...optionsOf(temporal), channelArgs: FAST_RECONNECT });
}

/** Connection for a `Client` to a server that must be there now. Rejects with the library's error when none answers within the time. */
export function connectClientNow(temporal: TemporalConnection, withinMs: number): Promise<Connection> {
  return Connection.connect({ ...optionsOf(temporal), connectTimeout: withinMs });
}

function optionsOf({ connectionOptions }: TemporalConnection): ConnectionOptions {
  return { ...(connectionOptions as ConnectionOptions), interceptors: createClientInterceptors() };
}
