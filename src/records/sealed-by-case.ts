/** What belongs to a sealed case is sealed, also when it comes after it. For rows of `page` with a `cnj`. */
import { sql, type RawBuilder } from 'kysely';

/** The class of a row of `page`: its own, or that of its case where that one is sealed. */
export function sensitivityByCase(account: string): RawBuilder<string> {
  return sql<string>`case when exists (
      select from tramita.legal_case as sealed
      where sealed.account = ${account} and sealed.cnj = page.cnj and sealed.sensitivity = 'SEALED')
    then 'SEALED' else page.sensitivity end`;
}
