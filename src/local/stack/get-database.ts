/** The migrated database of a stack: the one that `TRAMITA_DATABASE_URL` names, else a PostgreSQL of its own. */
import { BRIDGE_ROLE, CODEC_ROLE, databaseAddress, migrate } from '../../store/index.js';
import { sayAbout } from '../process/progress.js';
import { startOwnPostgres } from './own-servers.js';
import { keepSecret, secretFile, variableIn, type ServerContext } from './stack-context.js';

/** The roles of a given database are not changed: only our own gets the logins of bridge and codec server. */
export async function getDatabase(
  context: ServerContext,
): Promise<{ readonly url: string; readonly bridgeUrl: string; readonly codecUrl: string }> {
  const { stack, env, onProgress } = context;
  const say = sayAbout('postgres', onProgress);
  const migrated = async (...urls: Parameters<typeof migrate>): Promise<void> => {
    const applied = await migrate(...urls);
    if (applied.length > 0) say('step', `migrations applied: ${applied.join(', ')}`);
  };
  const given = variableIn(env, 'TRAMITA_DATABASE_URL');
  if (given !== undefined) {
    say('decision', 'using the database of TRAMITA_DATABASE_URL: TRAMITA_DATABASE_URL is set');
    await migrated(given).catch((error: unknown) => {
      const { code, name } = error as { readonly code?: string; readonly name?: string };
      const address = databaseAddress(given);
      const where = address === undefined ? '' : ` (${address})`;
      throw new Error(
        `tramita: the database of TRAMITA_DATABASE_URL${where} cannot be used (${code ?? name ?? 'unknown error'}); start it, or unset the variable to get a local one`,
      );
    });
    return {
      url: given,
      bridgeUrl: variableIn(env, 'TRAMITA_BRIDGE_DATABASE_URL') ?? given,
      codecUrl: variableIn(env, 'TRAMITA_CODEC_DATABASE_URL') ?? given,
    };
  }
  const { url } = await startOwnPostgres(context);
  const urlOf = (role: string, secret: string): string => {
    const own = new URL(url);
    own.username = role;
    own.password = keepSecret(secretFile(stack, secret));
    return own.href;
  };
  const bridgeUrl = urlOf(BRIDGE_ROLE, 'bridge-password');
  const codecUrl = urlOf(CODEC_ROLE, 'codec-password');
  await migrated(url, { bridgeUrl, codecUrl });
  return { url, bridgeUrl, codecUrl };
}
