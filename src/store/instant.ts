/** Our clock's epoch ms as an SQL value, for conditions and raw statements. */
import { sql, type RawBuilder } from 'kysely';

export function instant(epochMs: number): RawBuilder<number> {
  return sql<number>`${new Date(epochMs)}::timestamptz`;
}
