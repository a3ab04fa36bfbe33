/** Reads rows page by page, so that memory does not grow with their number. */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from './connect.js';

/** `statement` selects the rows after `last`, in order; `size` of them are read at a time. */
export async function* rowsInPages<T>(
  db: Database,
  size: number,
  statement: (last: T | undefined) => RawBuilder<T>,
): AsyncGenerator<T> {
  for (let last: T | undefined; ;) {
    const { rows } = await sql<T>`${statement(last)} limit ${size}`.execute(db);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < size) return;
  }
}
