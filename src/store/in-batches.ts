/** Retention and other clean-up in small batches, so that nobody waits long for a row lock. */
import type { RawBuilder } from 'kysely';
import type { Database } from './connect.js';

/** Rows per statement. */
export const BATCH = 1_000;
/** Batches per call; the next call continues. */
const MAX_BATCHES = 50;

/** Repeats a statement that changes at most {@link BATCH} rows until it changes fewer; returns the total. */
export async function inBatches(db: Database, statement: RawBuilder<unknown>): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const count = Number((await statement.execute(db)).numAffectedRows ?? 0);
    total += count;
    if (count < BATCH) break;
  }
  return total;
}
