/** The ledger for the time of one command: no account is needed, and no key where no token is made. */
import { OPERATIONS, withExtraOperations } from '../../contract/index.js';
import type { Config } from '../../config/index.js';
import { createLedger, type Ledger } from '../../ledger/index.js';
import type { Database } from '../../store/index.js';

export function openLedger(
  db: Database,
  config: Config,
  more: Partial<Pick<Parameters<typeof createLedger>[0], 'token' | 'memory'>> = {},
): Ledger {
  return createLedger({
    db,
    clock: Date.now,
    gaps: config.gaps,
    token: noToken,
    ...more,
    settings: { accounts: {}, prices: config.prices },
    catalogue: withExtraOperations(OPERATIONS, config.operations),
  });
}

function noToken(): never {
  throw new Error('tramita: this command makes no tokens');
}
