/** The charge auditor over one test file's world: our ledger beside the sandbox's charge book, by operation. */
import { readRows } from '../../soak/books.js';
import { auditCharges } from '../../src/testing/index.js';
import type { Flows } from './with-flows.js';

/** What is wrong between the two; empty when they agree. Only where every charge came from a flow. */
export async function auditFlows({ database, config, charges }: Flows): Promise<readonly string[]> {
  return auditCharges({
    ledger: await readRows({ db: database.db, config }),
    book: await charges(),
    // Ids of these flows hold tokens, so a call is found by the ids of its charge.
    subjectOf: { row: () => '', charge: () => '' },
  });
}
