/** Figures of the whole ledger for metrics: few rows, each read through an index, so that a scrape costs next to nothing. */
import { sql } from 'kysely';
import type { Amount } from '../contract/index.js';
import { civilDay, instant, type Database } from '../store/index.js';
import { BELIEVED_THROTTLE_MS } from './account-hold.js';
import { decideLife } from './life/decide-life.js';
import { readLife } from './life/read-life.js';
import { listJournals, unheard } from './life/write-life.js';
import { countUndecided, type UndecidedCount } from './check-ledger.js';
import type { AmountSource } from './intent.js';
import { FREE_READ, fromNewestBalance } from './states.js';
import { BARRED_FOR_MS } from './unexpected-charges.js';

export interface LedgerFigures {
  /** Known charges, by their source, of calls opened on this civil day of São Paulo. */
  readonly chargedToday: readonly MoneyFigure[];
  /** What counts against the cap of this civil day, reserves included. */
  readonly spentToday: readonly AccountAmount[];
  /** As the newest answer of the account reported it; null where none has. */
  readonly balances: readonly AccountAmount[];
  /** Held for calls whose charge is not known yet. */
  readonly reserved: readonly MoneyFigure[];
  readonly undecided: readonly UndecidedCount[];
  readonly open: number;
  /** Age of the oldest open row, ms; 0 when none is open. */
  readonly oldestOpenMs: number;
  readonly pending: number;
  readonly conflicts: number;
  /** Reads that should be free and were charged, in the last 30 days: they are not made while this stands. */
  readonly unexpected: number;
  readonly holds: readonly HoldFigure[];
  /** Charged calls of all accounts wait: the ledger may have forgotten some. */
  readonly isLedgerHeld: boolean;
  readonly journalsUnheard: number;
}

export interface MoneyFigure {
  readonly account: string;
  readonly operation: string;
  /** Of charges: where they are known from. */
  readonly source?: AmountSource;
  readonly amount: Amount;
  readonly calls: number;
}

export interface AccountAmount {
  readonly account: string;
  readonly amount: Amount | null;
}

export interface HoldFigure {
  readonly account: string;
  readonly outage: boolean;
  readonly throttled: boolean;
  /** Polls and other free reads wait. */
  readonly freeThrottled: boolean;
  readonly failures: number;
}

export async function readFigures(
  db: Database,
  { accounts, nowMs }: { readonly accounts: readonly string[]; readonly nowMs: number },
): Promise<LedgerFigures> {
  const chargedToday = await sql<MoneyFigure>`
    select account, operation, source, sum(amount)::bigint as amount, sum(calls)::integer as calls
    from tramita.spend_day cross join lateral (values ('told', told, told_calls), ('listed', listed, listed_calls),
      ('evidence', evidence, evidence_calls)) as by (source, amount, calls)
    where account = any(${[...accounts]}::text[]) and day = ${civilDay(nowMs)}
    group by account, operation, source having sum(calls) > 0 order by account, operation, source`.execute(db);
  const ofAccounts = await sql<{ account: string; spent: Amount; balance: Amount | null }>`
    select account, (select coalesce(sum(spent), 0)::bigint from tramita.spend_day
        where spend_day.account = asked.account and day = ${civilDay(nowMs)}) as spent,
      (select balance_after ${fromNewestBalance(sql.ref<string>('asked.account'))}) as balance
    from unnest(${[...accounts]}::text[]) as asked (account)`.execute(db);
  const reserved = await sql<MoneyFigure>`
    select account, operation, sum(reserved)::bigint as amount, sum(reserved_calls)::integer as calls
    from tramita.spend_live group by account, operation having sum(reserved_calls) > 0 order by account, operation`.execute(
    db,
  );
  const counts = await sql<
    Pick<LedgerFigures, 'open' | 'pending' | 'conflicts' | 'unexpected'> & { oldestAtMs: number | null }
  >`
    select
      (select count(*)::integer from tramita.intent where state = 'open') as open,
      (select min(opened_at) from tramita.intent where state = 'open') as "oldestAtMs",
      (select coalesce(sum(pending), 0)::integer from tramita.spend_live) as pending,
      (select count(*)::integer from tramita.settlement_conflict) as conflicts,
      (select count(*)::integer from tramita.intent
        where ${FREE_READ} and charged > 0 and opened_at > ${instant(nowMs - BARRED_FOR_MS)}) as unexpected`.execute(
    db,
  );
  /** The same rule as in `decideHold`. */
  const isUntil = (column: string) => sql<boolean>`coalesce(${sql.ref(column)} > ${instant(nowMs)}
    and ${sql.ref(column)} <= ${instant(nowMs + BELIEVED_THROTTLE_MS)}, false)`;
  const holds = await sql<HoldFigure>`
    select account, outage_since is not null as outage, ${isUntil('throttled_until')} as throttled,
      ${isUntil('throttled_until')} or ${isUntil('free_throttled_until')} as "freeThrottled",
      failures from tramita.account_hold order by account`.execute(db);
  const { oldestAtMs, ...counted } = counts.rows[0] as (typeof counts.rows)[number];
  return {
    chargedToday: chargedToday.rows,
    spentToday: ofAccounts.rows.map(({ account, spent }) => ({ account, amount: spent })),
    balances: ofAccounts.rows.map(({ account, balance }) => ({ account, amount: balance })),
    reserved: reserved.rows,
    undecided: await countUndecided(db, { nowMs }),
    ...counted,
    oldestOpenMs: oldestAtMs === null ? 0 : Math.max(0, nowMs - oldestAtMs),
    holds: holds.rows,
    isLedgerHeld: decideLife(await readLife(db), undefined).kind !== 'same',
    journalsUnheard: unheard(await listJournals(db)).length,
  };
}
