/** The database for one command; errors name the variable, never the address. */
import { fingerprintProblem, fingerprintsOf, payloadKeysProblem, type Config } from '../../config/index.js';
import {
  connect,
  databaseProblem,
  findMismatches,
  readFingerprints,
  schemaProblem,
  type Database,
} from '../../store/index.js';
import { failure } from '../exit-codes.js';
import type { CliContext } from '../context.js';
import { KEYS_CURE } from '../output/flow-failure.js';
import { readConfig, readTemporal, requireDatabaseUrl, requireIdKey } from './settings.js';

export async function withDatabase<T>(config: Config, use: (db: Database) => Promise<T>): Promise<T> {
  const db = connect({ url: requireDatabaseUrl(config), applicationName: 'tramita-cli', max: 2 });
  try {
    const schema = await schemaProblem(db);
    if (schema !== undefined) throw failure(schema);
    return await use(db);
  } catch (error) {
    // Our own errors already say what failed: an unreachable file store has the same codes as a database.
    if (isOurs(error)) throw error;
    return rethrowDatabaseError(error);
  } finally {
    await db.destroy();
  }
}

/** One line with the cure if the server cannot be reached or refuses the URL; any other error unchanged. */
export function rethrowDatabaseError(error: unknown): never {
  const problem = databaseProblem(error);
  throw problem === undefined ? error : failure(problem);
}

function isOurs(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('tramita: ');
}

/**
 * A command that starts or decides flows must have the settings of the workers, or it would request the same work under another
 * id. The check is skipped without a database, or if that cannot be reached or is not migrated: workers check again.
 */
export async function refuseOtherSettings(config: Config): Promise<void> {
  if (config.databaseUrl === undefined) return;
  const db = connect({ url: config.databaseUrl, applicationName: 'tramita-cli', max: 1 });
  try {
    const wrong = await findMismatches(db, fingerprintsOf(config)).catch(() => []);
    if (wrong.length > 0) throw failure(wrong.map(fingerprintProblem).join('\n'));
  } finally {
    await db.destroy();
  }
}

/** Without the workers' keys the histories would hold decisions in clear, and the answers of the flows could not be read. */
export async function refuseMissingKeys(context: Pick<CliContext, 'env'>, db: Database): Promise<void> {
  if (payloadKeysProblem(await readFingerprints(db), readTemporal(context).payloadKeys) === undefined) return;
  throw failure(`nothing was decided: the answers of the flows cannot be read here: ${KEYS_CURE}`);
}

/** For commands that start flows or plan it: requires the id key, and refuses settings that differ from the workers'. */
export async function readStarterConfig(context: Pick<CliContext, 'env'>): Promise<Config> {
  const config = readConfig(context);
  requireIdKey(config);
  await refuseOtherSettings(config);
  return config;
}
