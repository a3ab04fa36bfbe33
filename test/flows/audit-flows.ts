/** The charge auditor over one test file's world: our ledger beside the sandbox's charge book, by operation. */
import { DEFAULT_GAPS, OPERATIONS, ZERO_AMOUNT, withExtraOperations } from '../../src/contract/index.js';
import { createLedger, toLedgerRow } from '../../src/ledger/index.js';
import { auditCharges } from '../support/audit.js';
import type { Flows } from './with-flows.js';

/** What is wrong between the two; empty when they agree. Only where every charge came from a flow. */
export async function auditFlows(flows: Flows): Promise<readonly string[]> {
  const ledger = createLedger({
    db: flows.database.db,
    token: () => '',
    settings: { accounts: {}, prices: { default: ZERO_AMOUNT } },
    catalogue: withExtraOperations(OPERATIONS, []),
    gaps: DEFAULT_GAPS,
    clock: Date.now,
  });
  const rows = await ledger.list({ limit: 10_000 });
  return auditCharges({
    // A free call whose answer does not speak of money cost nothing.
    ledger: rows
      .map(toLedgerRow)
      .map((row) => (row.charged === null && row.reserved === '0' ? { ...row, charged: '0' } : row)),
    book: await flows.charges(),
    // Ids of these flows hold tokens, so a call is found by the ids of its charge.
    subjectOf: { row: () => '', charge: () => '' },
  });
}
