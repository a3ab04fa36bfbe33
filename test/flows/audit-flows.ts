/** The charge auditor over one test file's world: compares our ledger with the sandbox's charge book, by operation. */
import { readRows } from '../../soak/books.js';
import { auditCharges } from '../../src/testing/index.js';
import type { Flows } from './with-flows.js';

/** The differences between the two; empty when they agree. Only valid where every charge came from a flow. */
export async function auditFlows({ database, config, charges }: Flows): Promise<readonly string[]> {
  return auditCharges({
    ledger: await readRows({ db: database.db, config }),
    book: await charges(),
    // The ids of these flows hold tokens, so a call is matched by the ids of its charge.
    subjectOf: { row: () => '', charge: () => '' },
  });
}
