/** Rows of a statement page by page, so that their number does not matter. */
import type { RawBuilder } from 'kysely';
import type { Database } from './connect.js';

/** `statement` selects at most `size` rows behind the last one that was read. */
export async function* rowsInPages<T>(
  db: Database,
  size: number,
  statement: (last: T | undefined) => RawBuilder<T>,
): AsyncGenerator<T> {
  for (let last: T | undefined; ;) {
    const { rows } = await statement(last).execute(db);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < size) return;
  }
}
