/** The life of the database as an SQL row: for the look-up of an intent, and alone. It decides nothing. */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../store/index.js';
import type { LedgerLife } from './decide-life.js';

export interface LifeColumns {
  readonly life_epoch: string | null;
  readonly life_same: boolean | null;
  readonly life_witness: boolean;
  readonly life_begun: number | null;
  readonly life_held: number | null;
}

/** Always one row. `witness`: a row that this worker knows to be committed; null where it knows none. */
export function selectLife(witness: string | null): RawBuilder<LifeColumns> {
  return sql<LifeColumns>`
    select life.epoch as life_epoch, life.identity = tramita.ledger_identity() as life_same,
      life.begun_at as life_begun, life.held_since as life_held,
      ${witness}::uuid is null or exists (select from tramita.intent where intent_id = ${witness}::uuid) as life_witness
    from (select) as always left join tramita.ledger_life as life on true`;
}

export function toLife(row: LifeColumns): LedgerLife {
  return {
    epoch: row.life_epoch,
    isSameServer: row.life_same === true,
    hasWitness: row.life_witness,
    begunAtMs: row.life_begun ?? Infinity,
    heldSinceMs: row.life_held,
  };
}

export async function readLife(db: Database, witness: string | null = null): Promise<LedgerLife> {
  const { rows } = await selectLife(witness).execute(db);
  return toLife(rows[0] as LifeColumns);
}
