/** Rounds over a list and the state of each case. Nothing here starts anything. */
import { sql } from 'kysely';
import { ZERO_AMOUNT, type Amount } from '../../contract/index.js';
import { instant, type Database } from '../../store/index.js';
import {
  PASSING_FAILURES,
  type ItemState,
  type PortfolioItem,
  type Portfolios,
  type RoundCounts,
  type RoundOrder,
} from './types.js';

const NONE: RoundCounts = { waiting: 0, started: 0, done: 0, failed: 0, parked: 0, skipped: 0 };

const CAME_TO_NOTHING = sql<boolean>`(state = 'skipped' or (state = 'failed' and reason = any(${[...PASSING_FAILURES]})))`;

export function createRounds(db: Database): Omit<Portfolios, 'saveList' | 'lists' | 'casesOf' | 'activityOf'> {
  return {
    openRound: (order) => openRound(db, order),
    async items(round, state, limit) {
      const { rows } = await sql<PortfolioItem>`
        select cnj, state, workflow_id as "workflowId", run_id as "runId" from tramita.portfolio_item
        where round = ${round} and state = ${state} order by position limit ${limit}`.execute(db);
      return rows;
    },
    async changeItem({ round, cnj, state, workflowId = null, runId = null, reason = null, nowMs }) {
      await sql`
        update tramita.portfolio_item
        set state = ${state}, changed_at = ${instant(nowMs)}, reason = ${reason},
          -- A case that waits again forgets its run: the next dispatcher must not take its end for the end of a later one.
          workflow_id = case when ${state}::text = 'waiting' then null else coalesce(${workflowId}, workflow_id) end,
          run_id = case when ${state}::text = 'waiting' then null else coalesce(${runId}, run_id) end
        where round = ${round} and cnj = ${cnj}`.execute(db);
    },
    async tryAgain(round, nowMs) {
      await sql`
        update tramita.portfolio_item
        set state = 'waiting', changed_at = ${instant(nowMs)}, reason = null, workflow_id = null, run_id = null
        where round = ${round} and ${CAME_TO_NOTHING}`.execute(db);
    },
    async left(round) {
      const { rows } = await sql<Pick<PortfolioItem, 'cnj'>>`
        select cnj from tramita.portfolio_item
        where round = ${round} and (state in ('waiting', 'started') or ${CAME_TO_NOTHING})
        order by position`.execute(db);
      return rows.map(({ cnj }) => cnj);
    },
    async count(round) {
      const { rows } = await sql<{ readonly state: ItemState; readonly items: number }>`
        select state, count(*)::int as items from tramita.portfolio_item
        where round = ${round} group by state`.execute(db);
      return { ...NONE, ...Object.fromEntries(rows.map(({ state, items }) => [state, items])) };
    },
    // By the `once` keys of the round: a refresh that another caller started and paid is not of this round.
    async spentOf(round) {
      const { rows } = await sql<{ readonly known: Amount; readonly unknown: number }>`
        select coalesce(sum(charged), 0)::bigint as known,
          count(*) filter (where charged is null and reserved > 0 and state <> 'open')::int as unknown
        from tramita.intent
        where account = (select account from tramita.portfolio_round where round = ${round})
          and workflow_type = 'refreshCase' and once like 'portfolio/%' and once collate "C" >= ${`portfolio/${round}/`}
          -- The character after "/".
          and once collate "C" < ${`portfolio/${round}0`}
          -- Another round may be called like this one with "/" and more; behind a round stands a case alone.
          and strpos(substr(once, ${`portfolio/${round}/`.length + 1}::integer), '/') = 0`.execute(db);
      return rows[0] ?? { known: ZERO_AMOUNT, unknown: 0 };
    },
  };
}

/** Only the caller that inserts the round's row copies the list; all later callers find the copy. */
function openRound(db: Database, { round, account, name, cases, nowMs }: RoundOrder): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const opened = await sql`
      insert into tramita.portfolio_round (round, account, list, started_at)
      values (${round}, ${account}, ${name}, ${instant(nowMs)}) on conflict do nothing`.execute(trx);
    if (Number(opened.numAffectedRows ?? 0) === 1) {
      const source =
        cases === undefined
          ? sql`select cnj, position from tramita.portfolio_case where account = ${account} and list = ${name}`
          : sql`select cnj, min(place) as position
                from jsonb_array_elements_text(${JSON.stringify(cases)}::jsonb) with ordinality as given (cnj, place)
                group by cnj`;
      await sql`
        insert into tramita.portfolio_item (round, position, cnj, state, changed_at)
        select ${round}, source.position, source.cnj, 'waiting', ${instant(nowMs)} from (${source}) as source`.execute(
        trx,
      );
    }
    const { rows } = await sql<{ readonly total: number }>`
      select count(*)::int as total from tramita.portfolio_item where round = ${round}`.execute(trx);
    const total = rows[0]?.total ?? 0;
    // An empty round is not kept: the list may be loaded later under the same name.
    if (total === 0) await sql`delete from tramita.portfolio_round where round = ${round}`.execute(trx);
    return total;
  });
}
