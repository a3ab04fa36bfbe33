/** What belongs to a sealed case is sealed, even if it comes later, or retention has deleted the case's own record. */
import { sql, type RawBuilder } from 'kysely';

/** The sensitivity of a row of `page` with a `cnj`: sealed if its case is, else its own. */
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

/** For upserts of `kept`: a sealed row stays sealed, because a later answer without the signs of it makes nothing public. */
export const NEVER_LESS_SEALED = sql`case when kept.sensitivity = 'SEALED' then kept.sensitivity else excluded.sensitivity end`;

/** Whether the new row seals `kept`. */
export const SEALS = sql`(excluded.sensitivity = 'SEALED' and kept.sensitivity <> 'SEALED')`;

/** Whether the new row has another content than `kept`, or seals it: other rows are not touched. */
export const IS_NEWS = sql`(kept.data_hash <> excluded.data_hash or ${SEALS})`;
