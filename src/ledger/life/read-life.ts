/** Reads the life of the database, within the look-up of an intent or alone. Decides nothing. */
import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../store/index.js';
import type { LedgerLife } from './decide-life.js';

/** Null: the row of the life is gone. */
export type LifeRow = Omit<LedgerLife, 'begunAtMs'> & { readonly begunAtMs: number | null };

/** Always one row. `witness`: a row that this worker knows to be committed; null where it knows none. */
export function selectLife(witness: string | null): RawBuilder<LifeRow> {
  return sql<LifeRow>`
    select life.epoch, coalesce(life.identity = tramita.ledger_identity(), false) as "isSameServer",
      life.begun_at as "begunAtMs", life.held_since as "heldSinceMs",
      ${witness}::uuid is null or exists (select from tramita.intent where intent_id = ${witness}::uuid)
        or exists (select from tramita.archived_intent(${witness}::uuid)) as "hasWitness"
    from (select) as always left join tramita.ledger_life as life on true`;
}

export function toLife({ epoch, isSameServer, hasWitness, begunAtMs, heldSinceMs }: LifeRow): LedgerLife {
  return { epoch, isSameServer, hasWitness, heldSinceMs, begunAtMs: begunAtMs ?? Infinity };
}

export async function readLife(db: Database, witness: string | null = null): Promise<LedgerLife> {
  const { rows } = await selectLife(witness).execute(db);
  return toLife(rows[0] as LifeRow);
}
