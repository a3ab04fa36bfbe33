/** A Temporal client for one command. Connection errors name the address and the cure, not the library's own text. */
import { Client, type Connection } from '@temporalio/client';
import { readTraceProtocol, type TemporalConnection } from '../../config/index.js';
import {
  connectClient,
  connectClientNow,
  connectionProblem,
  createDataConverter,
  createLenientDataConverter,
  hasGrpcCode,
  isRefused,
  missingSearchAttributes,
  notRegisteredText,
  noNamespaceText,
  refusedText,
} from '../../temporal-client/index.js';
import { openTraces, type Traces } from '../../traces/index.js';
import type { CliContext } from '../context.js';
import { failure } from '../exit-codes.js';
import { readTemporal } from './settings.js';

const CONNECT_WITHIN_MS = 5_000;
/** gRPC status. */
const INVALID_ARGUMENT = 3;

/** Without a worker a query waits on the server forever; people get an answer after this. */
export const ANSWER_WITHIN_MS = 10_000;

export async function withClient<T>(context: Pick<CliContext, 'env'>, use: (client: Client) => Promise<T>): Promise<T> {
  const temporal = readTemporal(context);
  const connection = await connect(temporal);
  const traces = openCommandTraces(context);
  try {
    const payloadConverterPath = require.resolve('./lenient-converter.js');
    const dataConverter = createLenientDataConverter(temporal, { payloadConverterPath });
    const { namespace } = temporal;
    const interceptors = { workflow: [...(traces?.clientInterceptors ?? [])] };
    return await use(new Client({ connection, namespace, dataConverter, interceptors }));
  } catch (error) {
    throw (await withCure(error, connection, temporal)) ?? error;
  } finally {
    await Promise.all([connection.close(), traces?.close()]);
  }
}

/** A start, signal or decision of a command begins a trace. Commands that read the configuration report a wrong setting. */
function openCommandTraces({ env }: Pick<CliContext, 'env'>): Traces | undefined {
  const protocol = readTraceProtocol(env, []);
  const log = { warn: () => undefined };
  return protocol === undefined ? undefined : openTraces({ protocol, service: 'tramita-cli', log });
}

/** Asks a worker or the server; undefined if the call fails or takes too long. */
export function ifAnswered<T>(
  client: Client,
  ask: () => Promise<T>,
  withinMs = ANSWER_WITHIN_MS,
): Promise<T | undefined> {
  return client.withDeadline(Date.now() + withinMs, ask).catch(() => undefined);
}

/** For long-running programs: connects at its first call, and again after outages of the server. */
export function createLastingClient(
  temporal: TemporalConnection,
  traces: Pick<Traces, 'clientInterceptors'> | undefined,
): Client {
  const { namespace } = temporal;
  return new Client({
    connection: connectClient(temporal),
    namespace,
    dataConverter: createDataConverter(temporal),
    interceptors: { workflow: [...(traces?.clientInterceptors ?? [])] },
  });
}

/** The error with its cure if the server refuses because it was not set up for us; undefined for any other error. */
async function withCure(
  error: unknown,
  connection: Connection,
  { address, namespace }: TemporalConnection,
): Promise<Error | undefined> {
  if ((error as Error).name === 'NamespaceNotFoundError') {
    return failure(noNamespaceText(address, namespace));
  }
  if (isRefused(error)) return failure(refusedText(namespace));
  if (!hasGrpcCode(error, INVALID_ARGUMENT)) return undefined;
  const missing = await connection
    .withDeadline(Date.now() + CONNECT_WITHIN_MS, () => missingSearchAttributes(connection, namespace))
    .catch(() => []);
  return missing.length === 0
    ? undefined
    : failure(`${notRegisteredText(missing, namespace)}. A worker registers them if it may`);
}

async function connect(temporal: TemporalConnection): Promise<Connection> {
  try {
    return await connectClientNow(temporal, CONNECT_WITHIN_MS);
  } catch {
    throw failure((await connectionProblem(temporal)).text);
  }
}
