/** Small parts of SQL that several rooms write the same way. Pure. */
import { sql, type RawBuilder } from 'kysely';

/** Our clock's epoch ms as an SQL value, for conditions and raw statements. */
export function instant(epochMs: number): RawBuilder<number> {
  return sql<number>`${new Date(epochMs)}::timestamptz`;
}

/** When the civil day of São Paulo begins, or one `daysLater`. */
export function dayBegins(nowMs: number, daysLater = 0): RawBuilder<unknown> {
  const day = sql`date_trunc('day', ${instant(nowMs)} at time zone 'America/Sao_Paulo')`;
  return sql`(${day} + ${daysLater} * interval '1 day') at time zone 'America/Sao_Paulo'`;
}

/** A raw statement as the body of a `with` clause: Kysely puts no parentheses around raw ones. */
export function clause<Row>(statement: RawBuilder<Row>): RawBuilder<Row> {
  return sql<Row>`(${statement})`;
}
