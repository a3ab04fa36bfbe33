/** What belongs to a sealed case is sealed, also when it comes after it, and when the case's own record has gone by its age. */
import { sql, type RawBuilder } from 'kysely';

/** The class of a row of `page` with a `cnj`: its own, or that of its case where that one is sealed. */
export function sensitivityByCase(account: string): RawBuilder<string> {
  return sealedOr(sql`page.sensitivity`, { account, cnj: sql`page.cnj` });
}

/** `own` unless the case is sealed. */
export function sealedOr(
  own: RawBuilder<unknown>,
  { account, cnj }: { readonly account: string; readonly cnj: RawBuilder<unknown> },
): RawBuilder<string> {
  return sql<string>`case when exists (
      select from tramita.sealed_case as sealed where sealed.account = ${account} and sealed.cnj = ${cnj})
    then 'SEALED' else ${own} end`;
}

/** For upserts of `kept`: a class of secrecy never falls, as a later answer without its signs makes nothing public. */
export const NEVER_LESS_SEALED = sql`case when kept.sensitivity = 'SEALED' then kept.sensitivity else excluded.sensitivity end`;

/** What comes has another content than `kept`, or seals it: other rows are not touched. */
export const IS_NEWS = sql`(kept.data_hash <> excluded.data_hash
  or (excluded.sensitivity = 'SEALED' and kept.sensitivity <> 'SEALED'))`;
