/** The ledger of a stack, as `tramita ledger list --json` prints it. */
import { createTokens, type Config } from '../../config/index.js';
import { OPERATIONS, withExtraOperations } from '../../contract/index.js';
import { createLedger, toLedgerRow } from '../../ledger/index.js';
import { connect } from '../../store/index.js';
import type { FromHost } from '../stack/messages.js';

export async function readRows(config: Config): Promise<FromHost> {
  const { databaseUrl = '', gaps, prices, idKey = '', operations } = config;
  const db = connect({ url: databaseUrl, applicationName: 'tramita-testing', max: 1 });
  const ledger = createLedger({
    db,
    gaps,
    clock: Date.now,
    token: createTokens(idKey).token,
    settings: { accounts: {}, prices },
    catalogue: withExtraOperations(OPERATIONS, operations),
  });
  try {
    return { kind: 'ledger', rows: (await ledger.list({ limit: 1_000_000 })).map(toLedgerRow) };
  } catch (error) {
    return { kind: 'failed', message: `tramita: the ledger of the test stack cannot be read: ${String(error)}` };
  } finally {
    await db.destroy();
  }
}
