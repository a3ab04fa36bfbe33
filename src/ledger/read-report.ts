/**
 * Sums of the ledger over a period: charges and reservations by day, operation and flow; savings by shared answers; how accepted
 * work ended. Archived rows count too. Each statement reads one day of one account through its index.
 */
import { sql, type RawBuilder } from 'kysely';
import { addAmounts, ZERO_AMOUNT, type Amount } from '../contract/index.js';
import { DAY_MS } from '../contract/values/index.js';
import { instant, type Database } from '../store/index.js';
import { countUndecided, type UndecidedCount } from './check-ledger.js';

export interface ReportRequest {
  readonly account: string;
  /** Opened at or after this instant, epoch ms. */
  readonly fromMs: number;
  /** Opened before this instant, epoch ms. */
  readonly beforeMs: number;
  readonly nowMs: number;
}

/** Calls of one civil day of São Paulo, one operation and one kind of flow. */
export interface SpendRow {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly operation: string;
  readonly workflowType: string;
  /** Known charges. */
  readonly charged: Amount;
  readonly chargedCalls: number;
  /** Reserved for calls whose charge is unknown. */
  readonly held: Amount;
  readonly heldCalls: number;
}

/** Why a call needed no charge of its own: an equal one was `under way`, `once` had its key, or an answer was `kept`. */
export type SavedBy = 'under way' | 'once' | 'kept';

export interface SavedRow {
  readonly by: SavedBy;
  readonly calls: number;
  /** Known cost of the calls whose answers were shared. */
  readonly saved: Amount;
  /** Calls whose original has an unknown charge. */
  readonly unknownCalls: number;
}

/** Work that the service accepted with 202, by the state of its row now; `decided` where a person decided it. */
export interface WaitRow {
  readonly state: string;
  readonly decided: boolean;
  readonly count: number;
}

export interface LedgerReport {
  readonly spend: readonly SpendRow[];
  readonly saved: readonly SavedRow[];
  readonly waits: readonly WaitRow[];
  /** As of now, of calls of any age. */
  readonly undecided: readonly UndecidedCount[];
}

export async function readReport(db: Database, request: ReportRequest): Promise<LedgerReport> {
  const { account, fromMs, beforeMs, nowMs } = request;
  const spend: SpendRow[] = [];
  const saved = new Map<SavedBy, SavedRow>();
  const waits = new Map<string, WaitRow>();
  const untilMs = Math.min(beforeMs, nowMs + DAY_MS);
  for (let atMs = await firstDay(db, request); atMs < untilMs; atMs += DAY_MS) {
    const opened = sql`account = ${account} and opened_at >= ${instant(Math.max(atMs, fromMs))}
      and opened_at < ${instant(Math.min(atMs + DAY_MS, untilMs))}`;
    spend.push(...(await spendOf(db, opened)));
    for (const row of await savedOf(db, opened)) saved.set(row.by, addSaved(saved.get(row.by), row));
    for (const row of await waitsOf(db, opened)) {
      const key = `${row.state} ${String(row.decided)}`;
      waits.set(key, { ...row, count: row.count + (waits.get(key)?.count ?? 0) });
    }
  }
  return {
    spend,
    saved: [...saved.values()],
    waits: [...waits.values()],
    undecided: await countUndecided(db, { account, nowMs }),
  };
}

/** Skips the days at the beginning that have no row. */
async function firstDay(db: Database, { account, fromMs }: ReportRequest): Promise<number> {
  const oldest = (table: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select min(opened_at) from ${table} where account = ${account} and opened_at >= ${instant(fromMs)})`;
  const { rows } = await sql<{ at: number | null }>`
    select least(${oldest(sql`tramita.intent`)}, ${oldest(sql`tramita.intent_archive`)}) as at`.execute(db);
  const at = rows[0]?.at ?? null;
  return at === null ? Infinity : fromMs + Math.floor((at - fromMs) / DAY_MS) * DAY_MS;
}

/** `held` is what the caps count beyond the known charges (`tramita.spent`). */
async function spendOf(db: Database, opened: RawBuilder<unknown>): Promise<readonly SpendRow[]> {
  const paid = sql`greatest(coalesce(charged, 0), 0)`;
  const held = sql`tramita.spent(state, charged, reserved) - coalesce(charged, 0)`;
  const { rows } = await sql<SpendRow>`
    select (opened_at at time zone 'America/Sao_Paulo')::date::text as day, operation, workflow_type as "workflowType",
      sum(${paid})::bigint as charged, (count(*) filter (where charged > 0))::integer as "chargedCalls",
      sum(${held})::bigint as held, (count(*) filter (where ${held} > 0))::integer as "heldCalls"
    from tramita.intent_all where ${opened} and joined is null
    group by 1, 2, 3 having sum(${paid}) > 0 or sum(${held}) > 0 order by 1, 2, 3`.execute(db);
  return rows;
}

async function savedOf(db: Database, opened: RawBuilder<unknown>): Promise<readonly SavedRow[]> {
  const { rows } = await sql<SavedRow>`
    select case when taken.once is not null and taken.once = original.once then 'once'
        when original.settled_at is null or original.settled_at > taken.opened_at then 'under way' else 'kept' end as by,
      count(*)::integer as calls, coalesce(sum(greatest(original.charged, 0)), 0)::bigint as saved,
      (count(*) filter (where original.charged is null))::integer as "unknownCalls"
    from (select * from tramita.intent_all where ${opened} and joined is not null) as taken
    left join lateral (select once, settled_at, charged from tramita.intent where intent_id = taken.joined
      union all select once, settled_at, charged from tramita.archived_intent(taken.joined) limit 1) as original on true
    group by 1`.execute(db);
  return rows;
}

async function waitsOf(db: Database, opened: RawBuilder<unknown>): Promise<readonly WaitRow[]> {
  const { rows } = await sql<WaitRow>`
    select state, coalesce(evidence ? 'decision', false) as decided, count(*)::integer as count
    from tramita.intent_all where ${opened} and joined is null and request_id is not null
    group by 1, 2`.execute(db);
  return rows;
}

function addSaved(sum: SavedRow | undefined, row: SavedRow): SavedRow {
  return {
    by: row.by,
    calls: row.calls + (sum?.calls ?? 0),
    saved: addAmounts(row.saved, sum?.saved ?? ZERO_AMOUNT),
    unknownCalls: row.unknownCalls + (sum?.unknownCalls ?? 0),
  };
}
