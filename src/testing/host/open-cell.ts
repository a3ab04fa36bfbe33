/** A stack's own part of shared servers: a namespace and a database, removed with the stack. */
import { randomBytes } from 'node:crypto';
import { msToTs } from '@temporalio/common/lib/time.js';
import { Client as Postgres } from 'pg';
import { withoutPrefix } from '../../contract/values/index.js';
import { loadTemporalConnection } from '../../config/index.js';
import type { ServerContext } from '../../local/index.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import { migrate } from '../../store/index.js';
import { connectClientNow, KEYWORD } from '../../temporal-client/index.js';
import type { TestServerAddresses } from '../stack/types.js';

const CONNECT_WITHIN_MS = 5_000;
/** The server requires at least a day; the namespace with its runs is deleted earlier. */
const RETENTION = msToTs('1 day');

export interface Cell {
  readonly address: string;
  readonly namespace: string;
  readonly databaseUrl: string;
}

export async function openCell(
  { shutdown }: Pick<ServerContext, 'shutdown'>,
  servers: TestServerAddresses,
): Promise<Cell> {
  const name = `tramita_test_${randomBytes(6).toString('hex')}`;
  const address = servers.temporalAddress;
  const namespace = name.replaceAll('_', '-');
  const own = new URL(servers.databaseUrl);
  own.pathname = `/${name}`;
  const databaseUrl = own.href;
  const onTemporal = async (
    action: (connection: Awaited<ReturnType<typeof connectClientNow>>) => Promise<unknown>,
  ): Promise<void> => {
    const connection = await connectClientNow(loadTemporalConnection({ TEMPORAL_ADDRESS: address }), CONNECT_WITHIN_MS);
    await action(connection).finally(() => connection.close());
  };
  await Promise.all([
    onTemporal(async ({ workflowService, operatorService }) => {
      await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: RETENTION });
      shutdown.add({
        name: `namespace ${namespace}`,
        stop: () => onTemporal((connection) => connection.operatorService.deleteNamespace({ namespace })),
      });
      const searchAttributes = Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((each) => [each, KEYWORD]));
      await operatorService.addSearchAttributes({ namespace, searchAttributes });
    }).catch(cannotProvide(`the Temporal server at ${address}`)),
    onServer(servers.databaseUrl, async (client) => {
      await client.query(`create database ${name}`);
      shutdown.add({
        name: `database ${name}`,
        stop: () => onServer(servers.databaseUrl, (again) => again.query(`drop database ${name} with (force)`)),
      });
      await migrate(databaseUrl);
    }).catch(cannotProvide(`the PostgreSQL at ${own.host}`)),
  ]);
  return { address, namespace, databaseUrl };
}

/** The user may have chosen these servers, so the error names the server that it is about. */
function cannotProvide(server: string): (error: unknown) => never {
  return (error) => {
    const message = withoutPrefix((error as Error).message);
    throw new Error(`tramita: ${server} cannot give a test stack its part: ${message}`, { cause: error });
  };
}

async function onServer(connectionString: string, action: (client: Postgres) => Promise<unknown>): Promise<void> {
  const client = new Postgres({ connectionString, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  // a connection that breaks is reported by the query
  client.on('error', () => undefined);
  await client.connect();
  await action(client).finally(() => client.end());
}
