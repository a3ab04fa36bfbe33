/** Small parts of SQL that several rooms write the same way. Pure. */
import { sql, type RawBuilder } from 'kysely';

/** Our clock's epoch ms as an SQL value, for conditions and raw statements. */
export function instant(epochMs: number): RawBuilder<number> {
  return sql<number>`${new Date(epochMs)}::timestamptz`;
}

/** The civil day of São Paulo, as an SQL date. */
export function civilDay(epochMs: number): RawBuilder<unknown> {
  return sql`(${instant(epochMs)} at time zone 'America/Sao_Paulo')::date`;
}

/**
 * Condition: each statement of this transaction sees what was committed before that statement began. Without a `begin` of ours,
 * the server's default decides.
 */
export const SEES_COMMITTED = sql<boolean>`current_setting('transaction_isolation') = 'read committed'`;
