/** Starts the servers of a stack: recorded in it, stopped by its shutdown, which is requested when a server ends by itself. */
import { present } from '../../contract/index.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import { startPostgres, type PostgresServer } from '../postgres/postgres.js';
import { findTemporalServer } from '../temporal/find-temporal-server.js';
import { startTemporalServer, type TemporalServer } from '../temporal/temporal-server.js';
import type { ServerContext } from './stack-context.js';

export interface OwnTemporal extends TemporalServer {
  /** How to call the command line tool: its name if it is on PATH, else its path. */
  readonly tool: string;
}

/** With our search attributes. */
export async function startOwnTemporal(
  { stack, env, onProgress, shutdown, signal }: ServerContext,
  codecUrl?: string,
): Promise<OwnTemporal> {
  const { executable, source } = await findTemporalServer({ env, onProgress, signal });
  const temporal = await startTemporalServer({
    executable,
    dataDir: stack.dataDir('temporal'),
    logFile: stack.logFile('temporal'),
    env,
    signal,
    ...present({ codecUrl }),
    searchAttributes: Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 'Keyword'])),
    onSpawn: (identity) => stack.recordProcess({ name: 'temporal', identity }),
    onExit: ({ name, how, logFile }) => shutdown.request(`${name} ended (${how}); its log is ${logFile}`),
  });
  shutdown.add(temporal);
  return { ...temporal, tool: source === 'path' ? 'temporal' : executable };
}

/** `settings`: of the server. */
export async function startOwnPostgres(
  { stack, env, onProgress, shutdown }: ServerContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  const postgres = await startPostgres({
    dataDir: stack.dataDir('postgres'),
    logFile: stack.logFile('postgres'),
    env,
    onProgress,
    settings,
    onSpawn: (identity) => stack.recordProcess({ name: 'postgres', identity, stopSignal: 'SIGINT' }),
    onExit: ({ logFile }) => shutdown.request(`PostgreSQL ended; its log is ${logFile}`),
  });
  shutdown.add({ name: 'PostgreSQL', ...postgres });
  return postgres;
}
