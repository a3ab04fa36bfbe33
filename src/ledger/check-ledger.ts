/**
 * Looks through the ledger for what needs a person: undecided charges, rows that stay open, answers that
 * contradict, answers that are gone, a balance that moved by more than our charges. Reads only; corrects nothing.
 */
import { sql } from 'kysely';
import { ZERO_AMOUNT, addAmounts, type Amount } from '../contract/index.js';
import { DAY_MS, MINUTE_MS } from '../contract/values/index.js';
import { instant, type Database } from '../store/index.js';
import { startBalanceChain, type ChainReport, type ChainRow } from './balance-chain.js';
import type { AmountSource } from './intent.js';
import { lostFiles, type GoneFiles } from './lost-files.js';
import { FREE_READ, MAY_MOVE } from './states.js';
import { UNDECIDED } from './undecided.js';

export interface CheckRequest {
  readonly accounts: readonly string[];
  readonly nowMs: number;
  /** The balance chain begins with the first balance told at or after this instant, epoch ms. */
  readonly sinceMs: number;
  /** An open row older than this was missed by the sweeper. */
  readonly openAtMostMs: number;
  /** Asks the file store; absent: files are not looked for. */
  readonly goneFiles?: GoneFiles;
}

/** Undecided charges of one state and age. */
export interface UndecidedCount {
  readonly state: 'unknown' | 'charged_lost';
  readonly age: AgeBucket;
  readonly count: number;
  /** What they count against the caps. */
  readonly reserved: Amount;
}

export const AGE_BUCKETS = ['under 1 h', '1 h to 1 day', '1 to 7 days', 'over 7 days'] as const;
export type AgeBucket = (typeof AGE_BUCKETS)[number];

export interface AccountCheck {
  readonly account: string;
  readonly chain: ChainReport;
  /** What the chain's charges are known from; together they are its `charged`. */
  readonly chargedBy: Readonly<Record<AmountSource, Amount>>;
  readonly stuckOpen: readonly string[];
  readonly undecided: readonly UndecidedCount[];
  /** Late answers that contradict a decided row. */
  readonly conflicts: readonly string[];
  /** Rows that took the answer of a row which is not there, or which took another one's itself. */
  readonly lostOriginals: readonly string[];
  /** Answers that were paid for and are not stored. */
  readonly lostBodies: readonly string[];
  /** Answers that are files, paid for and not in the file store. */
  readonly lostFiles: readonly string[];
  /** Reads that should be free and were charged, since the time that was asked for. */
  readonly unexpected: readonly string[];
  /** Running sums (caps, metrics) that differ from the rows, by table and what they are about. */
  readonly wrongSums: readonly string[];
}

/** Ids of rows are listed up to this many. */
const MOST_IDS = 100;
const CHAIN_BATCH = 5_000;

export async function checkLedger(db: Database, request: CheckRequest): Promise<readonly AccountCheck[]> {
  const checks: AccountCheck[] = [];
  for (const account of request.accounts) checks.push(await checkAccount(db, account, request));
  return checks;
}

/** Which of these ids, of answers in a spool, the ledger does not know: they can never be settled. */
export async function unknownIntents(db: Database, intentIds: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...intentIds]}::uuid[]) as id
    where not exists (select from tramita.intent where intent_id = id)`.execute(db);
  return rows.map(({ id }) => id);
}

async function checkAccount(db: Database, account: string, request: CheckRequest): Promise<AccountCheck> {
  const { nowMs, sinceMs, openAtMostMs, goneFiles: gone } = request;
  return {
    account,
    ...(await chainOf(db, account, sinceMs)),
    stuckOpen: await ids(
      db,
      sql`where account = ${account} and state = 'open' and opened_at < ${instant(nowMs - openAtMostMs)}`,
    ),
    undecided: await countUndecided(db, { account, nowMs }),
    conflicts: await ids(
      db,
      sql`where account = ${account}
        and exists (select from tramita.settlement_conflict as found where found.intent_id = intent.intent_id)`,
    ),
    lostOriginals: await ids(
      db,
      sql`where account = ${account} and joined is not null and not exists (
        select from tramita.intent as root where root.intent_id = intent.joined and root.joined is null)`,
    ),
    lostBodies: await ids(
      db,
      sql`where account = ${account} and state = 'done' and joined is null and http_status between 200 and 299
        and not ${FREE_READ} and evidence -> 'file' is null
        and not exists (select from tramita.answer_body as body where body.sha256 = intent.body_sha256)`,
    ),
    lostFiles: gone === undefined ? [] : await lostFiles(db, { account, gone, mostIds: MOST_IDS }),
    unexpected: await ids(
      db,
      sql`where account = ${account} and ${FREE_READ} and charged > 0 and opened_at >= ${instant(sinceMs)}`,
    ),
    wrongSums: await wrongSums(db, account),
  };
}

/** A budget belongs to no account: each account is told of all. */
async function wrongSums(db: Database, account: string): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly what: string }>`
    select 'day ' || day || ', ' || operation as what from tramita.spend_day_drift where account = ${account}
    union all select 'reserved, ' || operation from tramita.spend_live_drift where account = ${account}
    union all select 'budget ' || budget_key from tramita.spend_budget_drift
    limit ${MOST_IDS}`.execute(db);
  return rows.map(({ what }) => what);
}

/** By account where one is given; for all together otherwise. */
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
        and (${account ?? null}::text is null or account = ${account ?? null})) as undecided
    group by state, age order by state, age`.execute(db);
  return rows;
}

async function ids(db: Database, where: ReturnType<typeof sql>): Promise<readonly string[]> {
  const { rows } = await sql<{ intent_id: string }>`
    select intent_id from tramita.intent ${where} order by opened_at limit ${MOST_IDS}`.execute(db);
  return rows.map(({ intent_id }) => intent_id);
}

type FoundRow = ChainRow & { readonly seq: number; readonly source: AmountSource };

/** Pending work is debited some time until its end; what is told about that end may be a little ahead of the debit. */
const ENDED_AT = sql`case
  when ${MAY_MOVE} then null
  when request_id is not null or final_state is not null then settled_at + interval '1 minute'
  else coalesce(balance_at, settled_at) end`;

/** Everything that may have been charged since, in batches by time of opening. */
async function chainOf(
  db: Database,
  account: string,
  sinceMs: number,
): Promise<Pick<AccountCheck, 'chain' | 'chargedBy'>> {
  const chain = startBalanceChain();
  const chargedBy = { told: ZERO_AMOUNT, listed: ZERO_AMOUNT, evidence: ZERO_AMOUNT };
  let after: Pick<FoundRow, 'openedAtMs' | 'seq'> = { openedAtMs: 0, seq: 0 };
  for (;;) {
    const { rows } = await sql<FoundRow>`
      select seq, intent_id as "intentId", opened_at as "openedAtMs", charged, reserved,
        coalesce(amount_source, 'told') as source, ${ENDED_AT} as "endedAtMs",
        charged is null and reserved > 0 and state in ('done', 'charged_lost') as untold,
        case when request_id is null and balance_at >= ${instant(sinceMs)} then balance_after end as balance
      from tramita.intent
      where account = ${account} and joined is null and (charged <> 0 or reserved > 0 or balance_after is not null)
        and (opened_at >= ${instant(sinceMs)} or settled_at >= ${instant(sinceMs)} or settled_at is null)
        and (opened_at, seq) > (${instant(after.openedAtMs)}, ${after.seq})
      order by opened_at, seq limit ${CHAIN_BATCH}`.execute(db);
    for (const row of rows) {
      chain.add(row);
      chargedBy[row.source] = addAmounts(chargedBy[row.source], row.charged ?? ZERO_AMOUNT);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHAIN_BATCH) return { chain: chain.end(), chargedBy };
    after = last;
  }
}
