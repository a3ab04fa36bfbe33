/** The database for the time of one command; errors name the variable, never the address. */
import type { Config } from '../../config/index.js';
import { connect, isDatabaseAway, schemaProblem, type Database } from '../../store/index.js';
import { failure } from '../exit-codes.js';
import { requireDatabaseUrl } from './settings.js';

export async function withDatabase<T>(config: Config, use: (db: Database) => Promise<T>): Promise<T> {
  const db = connect({ url: requireDatabaseUrl(config), applicationName: 'tramita-cli', max: 2 });
  try {
    const schema = await schemaProblem(db);
    if (schema !== undefined) throw failure(schema);
    return await use(db);
  } catch (error) {
    if (isDatabaseAway(error)) {
      throw failure('the database of TRAMITA_DATABASE_URL does not answer; start it, or correct the address');
    }
    throw error;
  } finally {
    await db.destroy();
  }
}
