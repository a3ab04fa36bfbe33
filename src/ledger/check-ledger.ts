/**
 * Checks the ledger for problems that need a person: undecided charges, rows that stay open, contradicting answers, lost answers,
 * a balance that moved by more than our charges. Reads only; corrects nothing.
 */
import { sql, type RawBuilder } from 'kysely';
import { ZERO_AMOUNT, addAmounts, type Amount } from '../contract/index.js';
import { ARCHIVE_AT_LEAST_MS, DAY_MS, MINUTE_MS } from '../contract/values/index.js';
import { instant, rowsInPages, type Database } from '../store/index.js';
import { startBalanceChain, type ChainReport, type ChainRow } from './balance-chain.js';
import { checkRows, MOST_IDS, type RowFindings } from './check-rows.js';
import type { AmountSource } from './intent.js';
import type { SlowOperations } from './ledger.js';
import { lostFiles, type GoneFiles } from './lost-files.js';
import { FREE_READ, MAY_MOVE } from './states.js';
import { UNDECIDED, overdueAt } from './undecided.js';

export interface CheckRequest {
  readonly accounts: readonly string[];
  readonly nowMs: number;
  /** The balance chain begins with the first balance reported at or after this instant, epoch ms. */
  readonly sinceMs: number;
  /** An open row older than this was missed by the sweeper. */
  readonly openAtMostMs: number;
  /** Operations whose calls may be open for longer, and for how long. */
  readonly slow?: SlowOperations;
  /** Asks the file store; absent: files are not checked. */
  readonly goneFiles?: GoneFiles;
}

/** Undecided charges of one state and age. `pending`: no flow waits for it any more, and its charge was never reported. */
export interface UndecidedCount {
  readonly state: 'unknown' | 'charged_lost' | 'pending';
  readonly age: AgeBucket;
  readonly count: number;
  /** What they count against the caps. */
  readonly reserved: Amount;
}

/** Finished calls whose charge was never reported: their price stays reserved, and no decision can change it. */
interface UnreportedCharges {
  readonly count: number;
  /** What they count against the caps. */
  readonly reserved: Amount;
  /** The oldest, at most 100. */
  readonly ids: readonly string[];
}

export const AGE_BUCKETS = ['under 1 h', '1 h to 1 day', '1 to 7 days', 'over 7 days'] as const;
export type AgeBucket = (typeof AGE_BUCKETS)[number];

export interface AccountCheck extends RowFindings {
  readonly account: string;
  readonly chain: ChainReport;
  /** The chain's `charged`, by the source of each amount. */
  readonly chargedBy: Readonly<Record<AmountSource, Amount>>;
  readonly stuckOpen: readonly string[];
  readonly undecided: readonly UndecidedCount[];
  /** Of calls that were opened or settled since `sinceMs`. */
  readonly unreported: UnreportedCharges;
  /** Late answers that contradict a decided row. */
  readonly conflicts: readonly string[];
  /** Answers that are files, paid for and not in the file store. */
  readonly lostFiles: readonly string[];
  /** Reads that should be free and were charged, since `sinceMs`. */
  readonly unexpected: readonly string[];
}

const CHAIN_BATCH = 20_000;

export async function checkLedger(db: Database, request: CheckRequest): Promise<readonly AccountCheck[]> {
  const rowsOf = await checkRows(db, request.accounts);
  const checks: AccountCheck[] = [];
  for (const account of request.accounts) {
    checks.push({ ...(await checkAccount(db, account, request)), ...rowsOf(account) });
  }
  return checks;
}

/** Which of these ids of spooled answers the ledger does not know. Such answers can never be settled. */
export async function unknownIntents(db: Database, intentIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...intentIds]}::uuid[]) as id
    where not exists (select from tramita.intent_all where intent_id = id)`.execute(db);
  return rows.map(({ id }) => id);
}

/** The checks that have an index of their own; `checkRows` reads every row. */
async function checkAccount(
  db: Database,
  account: string,
  request: CheckRequest,
): Promise<Omit<AccountCheck, keyof RowFindings>> {
  const { nowMs, sinceMs, openAtMostMs, slow, goneFiles: gone } = request;
  return {
    account,
    ...(await chainOf(db, account, request)),
    stuckOpen: await ids(
      db,
      sql`tramita.intent where account = ${account} and state = 'open' and opened_at < ${instant(nowMs - openAtMostMs)}
        and (operation <> all(${[...(slow?.operations ?? [])]}::text[]) or opened_at < ${instant(nowMs - (slow?.olderThanMs ?? 0))})`,
    ),
    undecided: await countUndecided(db, { account, nowMs }),
    conflicts: await ids(
      db,
      // From the few conflicts to their rows: the other way round reads every row of the account.
      sql`(select distinct found.intent_id as id from tramita.settlement_conflict as found offset 0) as contradicted
        cross join lateral (
          select intent_id, account, opened_at from tramita.intent where intent_id = id
          union all select intent_id, account, opened_at from tramita.archived_intent(id)) as intent
        where account = ${account}`,
    ),
    lostFiles: gone === undefined ? [] : await lostFiles(db, { account, gone, mostIds: MOST_IDS }),
    unexpected: await ids(
      db,
      sql`tramita.intent where account = ${account} and ${FREE_READ} and charged > 0 and opened_at >= ${instant(sinceMs)}`,
    ),
  };
}

/** For one account, or for all together. */
export async function countUndecided(
  db: Database,
  { account, nowMs }: { readonly account?: string; readonly nowMs: number },
): Promise<readonly UndecidedCount[]> {
  const age = sql`case when opened_at > ${instant(nowMs - 60 * MINUTE_MS)} then ${AGE_BUCKETS[0]}
    when opened_at > ${instant(nowMs - DAY_MS)} then ${AGE_BUCKETS[1]}
    when opened_at > ${instant(nowMs - 7 * DAY_MS)} then ${AGE_BUCKETS[2]} else ${AGE_BUCKETS[3]} end`;
  const { rows } = await sql<UndecidedCount>`
    select state, age, count(*)::integer as count, coalesce(sum(reserved), 0)::bigint as reserved
    from (select state, reserved, ${age} as age from tramita.intent
      where ${UNDECIDED}
        and (${account ?? null}::text is null or account = ${account ?? null})
      union all select state, reserved, ${age} from tramita.intent
      where ${overdueAt(nowMs)} and evidence -> 'decision' is null
        and (${account ?? null}::text is null or account = ${account ?? null})) as undecided
    group by state, age order by state, age`.execute(db);
  return rows;
}

async function ids(db: Database, from: ReturnType<typeof sql>): Promise<readonly string[]> {
  const { rows } = await sql<{ intent_id: string }>`
    select intent_id from ${from} order by opened_at limit ${MOST_IDS}`.execute(db);
  return rows.map(({ intent_id }) => intent_id);
}

type FoundRow = ChainRow & { readonly seq: number; readonly source: AmountSource; readonly unreported: boolean };

/** Pending work is debited at some time until its end, and the report of the end may precede the debit a little. */
const ENDED_AT = sql`case
  when ${MAY_MOVE} then null
  when request_id is not null or final_state is not null then settled_at + interval '1 minute'
  else coalesce(balance_at, settled_at) end`;

/** Reads everything that may have been charged since `sinceMs`: rows opened before and changed since, then rows opened since. */
async function chainOf(
  db: Database,
  account: string,
  { sinceMs, nowMs }: CheckRequest,
): Promise<Pick<AccountCheck, 'chain' | 'chargedBy' | 'unreported'>> {
  const chain = startBalanceChain();
  const unreported = { count: 0, reserved: ZERO_AMOUNT, ids: [] as string[] };
  const chargedBy = { told: ZERO_AMOUNT, listed: ZERO_AMOUNT, evidence: ZERO_AMOUNT };
  const since = instant(sinceMs);
  const own = sql`account = ${account} and joined is null and (charged <> 0 or reserved > 0 or balance_after is not null)`;
  const parts = [
    sql`select * from tramita.intent where ${own} and opened_at < ${since} and (settled_at >= ${since} or ${MAY_MOVE})
      union all select * from tramita.intent_archive
      where ${sinceMs < nowMs - ARCHIVE_AT_LEAST_MS}::boolean and ${own} and opened_at < ${since} and settled_at >= ${since}`,
    sql`select * from tramita.intent_all where ${own} and opened_at >= ${since}`,
  ];
  for (const part of parts) {
    for await (const row of chainRows(db, part, since)) {
      chain.add(row);
      chargedBy[row.source] = addAmounts(chargedBy[row.source], row.charged ?? ZERO_AMOUNT);
      if (!row.unreported) continue;
      unreported.count += 1;
      unreported.reserved = addAmounts(unreported.reserved, row.reserved);
      if (unreported.ids.length < MOST_IDS) unreported.ids.push(row.intentId);
    }
  }
  return { chain: chain.end(), chargedBy, unreported };
}

/** Rows in order of opening. */
function chainRows(db: Database, part: RawBuilder<unknown>, since: RawBuilder<unknown>): AsyncGenerator<FoundRow> {
  return rowsInPages<FoundRow>(
    db,
    CHAIN_BATCH,
    (last) => sql`
      select seq, intent_id as "intentId", opened_at as "openedAtMs", charged, reserved,
        coalesce(amount_source, 'told') as source, ${ENDED_AT} as "endedAtMs",
        charged is null and reserved > 0 and state in ('done', 'charged_lost') as untold,
        charged is null and reserved > 0 and state = 'done' as unreported,
        -- A balance that was read by itself was asked for before others that moved it meanwhile.
        case when request_id is null and balance_at >= ${since} and not (${FREE_READ} and charged is null)
          then balance_after end as balance
      from (${part}) as intent where (opened_at, seq) > (${instant(last?.openedAtMs ?? 0)}, ${last?.seq ?? 0})
      order by opened_at, seq`,
  );
}
