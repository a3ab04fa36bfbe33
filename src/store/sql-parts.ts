/** Small parts of SQL that several rooms write the same way. Pure. */
import { sql, type RawBuilder } from 'kysely';

/** Our clock's epoch ms as an SQL value, for conditions and raw statements. */
export function instant(epochMs: number): RawBuilder<number> {
  return sql<number>`${new Date(epochMs)}::timestamptz`;
}

/** A raw statement as the body of a `with` clause: Kysely puts no parentheses around raw ones. */
export function clause<Row>(statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`(${statement})`;
}
