/** The database for one command; errors name the variable, host and port, never user and password. */
import { fingerprintProblem, fingerprintsOf, type Config } from '../../config/index.js';
import {
  connect,
  databaseAddress,
  databaseProblem,
  findMismatches,
  schemaProblem,
  type Database,
} from '../../store/index.js';
import { failure } from '../exit-codes.js';
import type { CliContext } from '../context.js';
import { refuseForeignStart } from './namespace-of-flows.js';
import { readConfig, requireDatabaseUrl, requireIdKey } from './settings.js';

export async function withDatabase<T>(config: Config, use: (db: Database) => Promise<T>): Promise<T> {
  const url = requireDatabaseUrl(config);
  const db = connect({ url, applicationName: 'tramita-cli', max: 2 });
  try {
    const schema = await schemaProblem(db);
    if (schema !== undefined) throw failure(schema);
    return await use(db);
  } catch (error) {
    // Our own errors already say what failed: an unreachable file store has the same codes as a database.
    if (isOurs(error)) throw error;
    return rethrowDatabaseError(error, url);
  } finally {
    await db.destroy();
  }
}

/** One line with the cure if the server cannot be reached or refuses the URL; any other error unchanged. */
export function rethrowDatabaseError(error: unknown, url: string): never {
  const problem = databaseProblem(error, { address: databaseAddress(url) });
  throw problem === undefined ? error : failure(problem);
}

function isOurs(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('tramita: ');
}

/**
 * A command that starts or decides flows must have the settings of the workers, or it would request the same work under another
 * id.
 */
export function refuseOtherSettings(config: Config): Promise<void> {
  return checkIfAnswered(config, (db) => compareSettings(db, config));
}

async function compareSettings(db: Database, config: Config): Promise<void> {
  const wrong = await findMismatches(db, fingerprintsOf(config));
  if (wrong.length > 0) throw failure(wrong.map(fingerprintProblem).join('\n'));
}

/** {@link refuseForeignStart}, for a command that may have no database. */
export function refuseForeignStartIfKnown(context: Pick<CliContext, 'env'>, config: Config): Promise<void> {
  return checkIfAnswered(config, (db) => refuseForeignStart(context, db));
}

/** The check is skipped without a database, or if that cannot be reached or is not migrated: workers check again. */
async function checkIfAnswered({ databaseUrl }: Config, check: (db: Database) => Promise<void>): Promise<void> {
  if (databaseUrl === undefined) return;
  const db = connect({ url: databaseUrl, applicationName: 'tramita-cli', max: 1 });
  try {
    await check(db);
  } catch (error) {
    if (isOurs(error)) throw error;
  } finally {
    await db.destroy();
  }
}

/** For commands that plan a start: requires the id key, and refuses settings that differ from the workers'. */
export async function checkStarterConfig(config: Config): Promise<void> {
  requireIdKey(config);
  await refuseOtherSettings(config);
}

/** {@link checkStarterConfig} and {@link refuseForeignStartIfKnown} over one connection: an unreachable database is tried once. */
export async function readStartConfig(context: Pick<CliContext, 'env'>): Promise<Config> {
  const config = readConfig(context);
  requireIdKey(config);
  await checkIfAnswered(config, async (db) => {
    await compareSettings(db, config);
    await refuseForeignStart(context, db);
  });
  return config;
}
