/**
 * Deletes readings of balances that no decision can need. Evidence of an unknown charge takes the newest reading from before its
 * row, so this stays: the last reading before the account's oldest row whose charge may still move, and all later ones; without
 * such a row, the newest reading.
 */
import { sql } from 'kysely';
import { DAY_MS } from '../contract/values/index.js';
import { BATCH, inBatches, instant, type Database } from '../store/index.js';
import { MAY_MOVE } from './states.js';

/** People who look into a doubt find the readings of the last day. */
const KEPT_MS = DAY_MS;

/** Returns how many were deleted. It works in batches, and the next call continues. */
export function dropReadings(db: Database, { nowMs }: { readonly nowMs: number }): Promise<number> {
  const old = sql`taken_at < ${instant(nowMs - KEPT_MS)}`;
  // Behind `offset 0`, the order of `seq` chooses no index: it would read the rows of all accounts.
  return inBatches(
    db,
    sql`
    with moving as materialized (
      select account, (
        select min(seq) from (
          select seq from tramita.intent
          where intent.account = own.account and reserved > 0 and joined is null and ${MAY_MOVE} offset 0) as rows) as seq
      from (select distinct account from tramita.balance_reading where ${old}) as own
    ), kept as materialized (
      select account, (
        select max(reading.seq) from tramita.balance_reading as reading
        where reading.account = moving.account and (moving.seq is null or reading.seq < moving.seq)) as seq
      from moving
    )
    delete from tramita.balance_reading where ctid = any (array(
      select reading.ctid from tramita.balance_reading as reading join kept using (account)
      where ${old} and reading.seq < kept.seq limit ${BATCH} for update of reading skip locked))`,
  );
}
