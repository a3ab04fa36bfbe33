/** The ledger for the time of one command, for reading: nothing of the service and no account is needed. */
import { OPERATIONS, withExtraOperations } from '../../contract/index.js';
import type { Config } from '../../config/index.js';
import { createLedger, type Ledger } from '../../ledger/index.js';
import { withDatabase } from './with-database.js';

export function withLedger<T>(config: Config, use: (ledger: Pick<Ledger, 'list'>) => Promise<T>): Promise<T> {
  return withDatabase(config, (db) => {
    const settings = { accounts: {}, prices: config.prices };
    const catalogue = withExtraOperations(OPERATIONS, config.operations);
    const token = (): never => {
      throw new Error('tramita: reading the ledger makes no tokens');
    };
    return use(createLedger({ db, clock: Date.now, settings, token, catalogue, gaps: config.gaps }));
  });
}
