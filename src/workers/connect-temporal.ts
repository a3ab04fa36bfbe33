/** Connections to Temporal that survive a server that is not there yet, within a bound. */
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import type { TemporalConnection } from '../config/index.js';
import { createClientInterceptors } from './client-interceptors.js';

/** grpc-js backs off up to 2 minutes by default; these make a client usable within about 2 s of the server's return. */
export const FAST_RECONNECT = {
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.min_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 1_000,
} as const;

const AGAIN_AFTER_MS = 500;

/** A client connection that connects at its first call, and again after outages. */
export function connectClient(temporal: TemporalConnection): Connection {
  return Connection.lazy({
    ...(temporal.connectionOptions as ConnectionOptions),
    channelArgs: FAST_RECONNECT,
    interceptors: createClientInterceptors(),
  });
}

/** Tries until `waitMs` has passed: `NativeConnection.connect` fails at once while the server is down. */
export async function connectNative(temporal: TemporalConnection, waitMs: number): Promise<NativeConnection> {
  const deadlineMs = Date.now() + waitMs;
  for (;;) {
    try {
      return await NativeConnection.connect(temporal.connectionOptions);
    } catch {
      if (Date.now() > deadlineMs) {
        throw new Error(
          `tramita: no Temporal server at ${temporal.address} after ${Math.round(waitMs / 1_000)} s; set TEMPORAL_ADDRESS or start one with "tramita up"`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
    }
  }
}
