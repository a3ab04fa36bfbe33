/**
 * Rows for one statement: none twice, which a statement could not touch (of rows with one key the last one counts), and in the
 * order of their keys, so that of two statements about the same rows one waits for the other, and never each for the other. Pure.
 */
import { sql } from 'kysely';

/** The record in the column `data` of such rows, as `page`. PostgreSQL reads a record that is null as no value at all. */
export const RECORD_OF_ROW = sql`coalesce(page.data, 'null'::jsonb)`;

export function rowsByKey<T>(rows: readonly T[], keyOf: (row: T) => string): readonly T[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row] as const));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
