/** The ledger for the time of one command, for reading: nothing of the service and no account is needed. */
import { OPERATIONS, withExtraOperations } from '../contract/index.js';
import type { Config } from '../config/index.js';
import { createLedger, type Ledger } from '../ledger/index.js';
import { connect, isDatabaseAway, schemaProblem } from '../store/index.js';
import { failure } from './exit-codes.js';
import { requireDatabaseUrl } from './settings.js';

export async function withLedger<T>(config: Config, use: (ledger: Pick<Ledger, 'list'>) => Promise<T>): Promise<T> {
  const db = connect({ url: requireDatabaseUrl(config), applicationName: 'tramita-cli', max: 2 });
  try {
    const schema = await schemaProblem(db);
    if (schema !== undefined) throw failure(schema);
    const settings = { accounts: {}, prices: config.prices };
    const catalogue = withExtraOperations(OPERATIONS, config.operations);
    const token = (): never => {
      throw new Error('tramita: reading the ledger makes no tokens');
    };
    return await use(createLedger({ db, clock: Date.now, settings, token, catalogue, gaps: config.gaps }));
  } catch (error) {
    if (isDatabaseAway(error)) {
      throw failure('the database of TRAMITA_DATABASE_URL does not answer; start it, or correct the address');
    }
    throw error;
  } finally {
    await db.destroy();
  }
}
