/**
 * Rows for one statement. No key comes twice, because a statement cannot touch a row twice; the last row of a key counts. Rows
 * are in the order of their keys, so that two statements about the same rows wait for each other without a deadlock. Pure.
 */
import { sql } from 'kysely';

/** The column `data` of such rows, as `page`. PostgreSQL reads a record that is JSON null as SQL null, which this undoes. */
export const RECORD_OF_ROW = sql`coalesce(page.data, 'null'::jsonb)`;

export function rowsByKey<T>(rows: readonly T[], keyOf: (row: T) => string): readonly T[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row] as const));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
