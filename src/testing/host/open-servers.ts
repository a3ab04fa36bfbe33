/** Starts a Temporal server and a PostgreSQL only for tests, in the folder of their host. */
import {
  findTemporalServer,
  startPostgres,
  startTemporalServer,
  type OnProgress,
  type Shutdown,
  type Stack,
} from '../../local/index.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/index.js';
import { migrate } from '../../store/index.js';
import type { ServersFacts } from '../stack/messages.js';

/** What every part of a host takes. */
export interface HostContext {
  readonly stack: Stack;
  readonly shutdown: Shutdown;
  readonly onProgress: OnProgress;
  readonly env: NodeJS.ProcessEnv;
}

/** For many stacks, each with a worker and a bridge. */
const CONNECTIONS = { max_connections: '400' };

/** Started together; stopped by `shutdown`. The database is migrated. */
export async function openServers(
  context: HostContext,
  { isShared }: { readonly isShared: boolean },
): Promise<ServersFacts> {
  const [temporal, databaseUrl] = await Promise.all([openTemporal(context), openPostgres(context, isShared)]);
  return { ...temporal, databaseUrl };
}

async function openTemporal({
  stack,
  shutdown,
  onProgress,
  env,
}: HostContext): Promise<Pick<ServersFacts, 'temporalAddress' | 'uiUrl'>> {
  const { executable } = await findTemporalServer({ env, onProgress, signal: shutdown.signal });
  const temporal = await startTemporalServer({
    executable,
    env,
    signal: shutdown.signal,
    dataDir: stack.dataDir('temporal'),
    logFile: stack.logFile('temporal'),
    searchAttributes: Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, 'Keyword'])),
    onSpawn: (identity) => stack.recordProcess({ name: 'temporal', identity }),
    onExit: ({ name, how }) => shutdown.request(`${name} ended (${how})`),
  });
  shutdown.add(temporal);
  return { temporalAddress: temporal.address, uiUrl: temporal.uiUrl };
}

async function openPostgres({ stack, shutdown, onProgress, env }: HostContext, isShared: boolean): Promise<string> {
  const postgres = await startPostgres({
    env,
    onProgress,
    settings: isShared ? CONNECTIONS : {},
    dataDir: stack.dataDir('postgres'),
    logFile: stack.logFile('postgres'),
    onSpawn: (identity) => stack.recordProcess({ name: 'postgres', identity, stopSignal: 'SIGINT' }),
    onExit: () => shutdown.request('PostgreSQL ended'),
  });
  shutdown.add({ name: 'PostgreSQL', ...postgres });
  await migrate(postgres.url);
  return postgres.url;
}
