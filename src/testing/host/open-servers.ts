/** Starts a Temporal server and a PostgreSQL only for tests, in the folder of their host. */
import { startOwnPostgres, startOwnTemporal, type ServerContext } from '../../local/index.js';
import { migrate } from '../../store/index.js';
import type { ServersFacts } from '../stack/messages.js';

/** For many stacks, each with a worker and a bridge. */
const CONNECTIONS = { max_connections: '400' };

/** Started together; stopped by the shutdown. The database is migrated. */
export async function openServers(
  context: ServerContext,
  { isShared }: { readonly isShared: boolean },
): Promise<ServersFacts> {
  const [{ address, uiUrl }, databaseUrl] = await Promise.all([
    startOwnTemporal(context),
    openPostgres(context, isShared),
  ]);
  return { temporalAddress: address, uiUrl, databaseUrl };
}

async function openPostgres(context: ServerContext, isShared: boolean): Promise<string> {
  const { url } = await startOwnPostgres(context, isShared ? CONNECTIONS : {});
  await migrate(url);
  return url;
}
