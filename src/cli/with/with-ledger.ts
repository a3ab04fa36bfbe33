/** The ledger for one command. It needs no accounts, and no id key unless the command makes tokens. */
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
