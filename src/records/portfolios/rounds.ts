/** Rounds over a list and where each case stands. Nothing here starts anything. */
import { sql } from 'kysely';
import { ZERO_AMOUNT, type Amount } from '../../contract/index.js';
import { instant, type Database } from '../../store/index.js';
import type { ItemChange, ItemState, PortfolioItem, RoundCounts, RoundOrder } from './types.js';

/** The round row is the fence: its writer copies the list, all later callers find the copy. */
export function openRound(db: Database, { round, account, name, cases, nowMs }: RoundOrder): Promise<number> {
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

export async function readItems(
  db: Database,
  round: string,
  state: ItemState,
  limit: number,
): Promise<readonly PortfolioItem[]> {
  const { rows } = await sql<PortfolioItem>`
    select cnj, state, workflow_id as "workflowId", run_id as "runId" from tramita.portfolio_item
    where round = ${round} and state = ${state} order by position limit ${limit}`.execute(db);
  return rows;
}

export async function changeItem(db: Database, change: ItemChange): Promise<void> {
  await sql`
    update tramita.portfolio_item
    set state = ${change.state}, changed_at = ${instant(change.nowMs)}, reason = ${change.reason ?? null},
      -- A case that waits again forgets its run: the next dispatcher must not take its end for the end of a later one.
      workflow_id = case when ${change.state}::text = 'waiting' then null
        else coalesce(${change.workflowId ?? null}, workflow_id) end,
      run_id = case when ${change.state}::text = 'waiting' then null else coalesce(${change.runId ?? null}, run_id) end
    where round = ${change.round} and cnj = ${change.cnj}`.execute(db);
}

const NONE: RoundCounts = { waiting: 0, started: 0, done: 0, failed: 0, parked: 0, skipped: 0 };

export async function countRound(db: Database, round: string): Promise<RoundCounts> {
  const { rows } = await sql<{ readonly state: ItemState; readonly items: number }>`
    select state, count(*)::int as items from tramita.portfolio_item where round = ${round} group by state`.execute(db);
  return { ...NONE, ...Object.fromEntries(rows.map(({ state, items }) => [state, items])) };
}

/** By the `once` keys of the round: a refresh that somebody else started and paid is not of this round. */
export async function spentOfRound(
  db: Database,
  round: string,
): Promise<{ readonly known: Amount; readonly unknown: number }> {
  const { rows } = await sql<{ readonly known: Amount; readonly unknown: number }>`
    select coalesce(sum(charged), 0)::bigint as known,
      count(*) filter (where charged is null and state not in ('rejected', 'not_sent', 'open'))::int as unknown
    from tramita.intent
    where account = (select account from tramita.portfolio_round where round = ${round})
      and workflow_type = 'refreshCase' and once is not null and starts_with(once, ${`portfolio/${round}/`})`.execute(
    db,
  );
  return rows[0] ?? { known: ZERO_AMOUNT, unknown: 0 };
}
