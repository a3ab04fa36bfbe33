/** What forgets does it in small batches, so that nobody waits long for a row. */
import type { RawBuilder } from 'kysely';
import type { Database } from './connect.js';

/** Rows of one statement. */
export const BATCH = 1_000;
/** Of one round; the next one goes on. */
const MAX_BATCHES = 50;

/** Runs a statement that changes at most {@link BATCH} rows until it has changed fewer; returns how many in all. */
export async function inBatches(db: Database, statement: RawBuilder<unknown>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = Number((await statement.execute(db)).numAffectedRows ?? 0);
    total += count;
    if (count < BATCH) break;
  }
  return total;
}
