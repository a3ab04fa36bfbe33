/** Stored lists of cases, by account and name. */
import { sql } from 'kysely';
import type { Cnj } from '../../contract/index.js';
import { withLocks, type Database } from '../../store/index.js';
import type { CaseActivity, Portfolios, StoredList } from './types.js';

export function createLists(db: Database): Pick<Portfolios, 'saveList' | 'lists' | 'casesOf' | 'activityOf'> {
  return {
    saveList: ({ account, name, cases }) =>
      // Of two at once the second waits: otherwise it would not see the rows of the first, and not delete them.
      withLocks(db, [`list:${account}/${name}`], async (trx) => {
        await sql`delete from tramita.portfolio_case where account = ${account} and list = ${name}`.execute(trx);
        const { numAffectedRows } = await sql`
          insert into tramita.portfolio_case (account, list, position, cnj)
          select ${account}, ${name}, min(place), cnj
          from jsonb_array_elements_text(${JSON.stringify(cases)}::jsonb) with ordinality as given (cnj, place)
          group by cnj`.execute(trx);
        return Number(numAffectedRows ?? 0);
      }),
    async lists(account) {
      const { rows } = await sql<StoredList>`
        select account, list as name, count(*)::int as cases from tramita.portfolio_case
        where ${account ?? null}::text is null or account = ${account ?? null}
        group by account, list order by account, list`.execute(db);
      return rows;
    },
    async casesOf(account, name) {
      const { rows } = await sql<{ readonly cnj: Cnj }>`
        select cnj from tramita.portfolio_case
        where account = ${account} and list = ${name} order by position`.execute(db);
      return rows.map(({ cnj }) => cnj);
    },
    async activityOf(account, name, since) {
      const { rows } = await sql<CaseActivity>`
        select listed.cnj, refresh.finished_at as "refreshedAtMs", (
            select count(*)::int from tramita.movement
            where account = ${account} and cnj = listed.cnj and on_date >= ${since}::date
          ) as movements
        from tramita.portfolio_case as listed
          left join tramita.case_refresh as refresh
            on refresh.account = ${account} and refresh.cnj = listed.cnj and refresh.state = 'done'
        where listed.account = ${account} and list = ${name} order by position`.execute(db);
      return rows;
    },
  };
}
