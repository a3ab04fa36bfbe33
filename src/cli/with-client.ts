/** A Temporal client for the time of one command. Errors say where was looked; the library's own text is not passed on. */
import { Client, Connection } from '@temporalio/client';
import type { TemporalConnection } from '../config/index.js';
import { createClientInterceptors } from '../workers/index.js';
import type { CliContext } from './context.js';
import { failure } from './exit-codes.js';
import { readTemporal } from './settings.js';

const CONNECT_WITHIN_MS = 5_000;

/** Without a worker a query waits on the server for ever; people get an answer after this. */
export const ANSWER_WITHIN_MS = 10_000;

/** grpc-js backs off up to 2 minutes by default; with these a bridge signals again about 2 s after the server's return. */
const FAST_RECONNECT = {
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.min_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 1_000,
} as const;

export async function withClient<T>(
  context: Pick<CliContext, 'env'>,
  use: (client: Client, temporal: TemporalConnection) => Promise<T>,
): Promise<T> {
  const temporal = readTemporal(context);
  const connection = await connect(temporal);
  try {
    return await use(new Client({ connection, namespace: temporal.namespace }), temporal);
  } finally {
    await connection.close();
  }
}

/** Connects at its first call and again after outages: for programs that outlive the server. */
export function createLastingClient(temporal: TemporalConnection): Client {
  const connection = Connection.lazy({
    ...temporal.connectionOptions,
    channelArgs: FAST_RECONNECT,
    interceptors: createClientInterceptors(),
  });
  return new Client({ connection, namespace: temporal.namespace });
}

async function connect(temporal: TemporalConnection): Promise<Connection> {
  try {
    return await Connection.connect({
      ...temporal.connectionOptions,
      connectTimeout: CONNECT_WITHIN_MS,
      interceptors: createClientInterceptors(),
    });
  } catch {
    throw failure(
      `no Temporal server answers at ${temporal.address}; set TEMPORAL_ADDRESS, or start one with "tramita up"`,
    );
  }
}
