/** The migrated database of a stack: the one that `TRAMITA_DATABASE_URL` names, else a PostgreSQL of its own. */
import { BRIDGE_ROLE, CODEC_ROLE, migrate } from '../../store/index.js';
import { keepSecret, secretFile, type StackContext } from './stack-context.js';
import { startPostgres } from '../postgres/postgres.js';
import { sayAbout } from '../process/progress.js';
import { decidePostgresSource } from './server-source.js';

/** The roles of a given database are not changed: only our own gets the logins of bridge and codec server. */
export async function getDatabase(
  context: StackContext,
): Promise<{ readonly url: string; readonly bridgeUrl: string; readonly codecUrl: string }> {
  const { stack, env, onProgress, shutdown } = context;
  const say = sayAbout('postgres', onProgress);
  const migrated = async (...given: Parameters<typeof migrate>): Promise<void> => {
    const applied = await migrate(...given);
    if (applied.length > 0) say('step', `migrations applied: ${applied.join(', ')}`);
  };
  const source = decidePostgresSource(env);
  if (source.kind === 'running') {
    say('decision', `using the database of TRAMITA_DATABASE_URL: ${source.why}`);
    await migrated(source.address).catch((error: unknown) => {
      const { code, name } = error as { readonly code?: string; readonly name?: string };
      throw new Error(
        `tramita: the database of TRAMITA_DATABASE_URL cannot be used (${code ?? name ?? 'unknown error'}); start it, or unset the variable to get a local one`,
      );
    });
    // The empty string counts as unset.
    const urlIn = (name: string): string => (env[name] ?? '') || source.address;
    return {
      url: source.address,
      bridgeUrl: urlIn('TRAMITA_BRIDGE_DATABASE_URL'),
      codecUrl: urlIn('TRAMITA_CODEC_DATABASE_URL'),
    };
  }
  const postgres = await startPostgres({
    dataDir: stack.dataDir('postgres'),
    logFile: stack.logFile('postgres'),
    env,
    onProgress,
    onSpawn: (identity) => stack.recordProcess({ name: 'postgres', identity, stopSignal: 'SIGINT' }),
    onExit: ({ logFile }) => shutdown.request(`PostgreSQL ended; its log is ${logFile}`),
  });
  shutdown.add({ name: 'PostgreSQL', ...postgres });
  const urlOf = (role: string, secret: string): string => {
    const url = new URL(postgres.url);
    url.username = role;
    url.password = keepSecret(secretFile(stack, secret));
    return url.href;
  };
  const bridgeUrl = urlOf(BRIDGE_ROLE, 'bridge-password');
  const codecUrl = urlOf(CODEC_ROLE, 'codec-password');
  await migrated(postgres.url, { bridgeUrl, codecUrl });
  return { url: postgres.url, bridgeUrl, codecUrl };
}
