/** Statements about the table `account_hold`; what they write is decided in `account-hold.ts`. */
import { sql, type RawBuilder } from 'kysely';
import { instant, type Database } from '../store/index.js';
import { LONGEST_THROTTLE_MS, decideHold, type HoldNews } from './account-hold.js';
import { decideLife } from './life/decide-life.js';
import type { LifeMemory } from './life/life-memory.js';
import { readLife } from './life/read-life.js';
import type { AccountHold } from './types.js';

/** A free look at the service at most this often, by all processes together. */
const PROBE_EVERY_MS = 60_000;

/** For a `with` clause. Writes nothing where there is no news, so that calls of one account do not wait for each other. */
export function noteHold(
  news: HoldNews | undefined,
  { outageAfter, nowMs }: { readonly outageAfter: number; readonly nowMs: number },
): RawBuilder<Record<string, unknown>> {
  const failure = news?.seen === 'failure' && outageAfter > 0;
  if (news === undefined) return sql`select 1 where false`;
  const { account, throttledUntilMs, freeThrottledUntilMs } = news;
  const isThrottled = throttledUntilMs !== null || freeThrottledUntilMs !== null;
  if (!failure && news.seen !== 'answer' && !isThrottled) return sql`select 1 where false`;
  if (!failure && !isThrottled) {
    return sql`
      update tramita.account_hold set failures = 0, outage_since = null
      where account = ${account} and (failures > 0 or outage_since is not null)`;
  }
  const now = instant(nowMs);
  const answered = news.seen === 'answer';
  return sql`
    insert into tramita.account_hold as hold (account, failures, outage_since, throttled_until, free_throttled_until)
    values (${account}, ${failure ? 1 : 0}, ${failure && outageAfter === 1 ? now : null}::timestamptz,
      ${throttledUntilMs === null ? null : instant(throttledUntilMs)}::timestamptz,
      ${freeThrottledUntilMs === null ? null : instant(freeThrottledUntilMs)}::timestamptz)
    on conflict (account) do update set
      failures = case when ${answered}::boolean then 0 else hold.failures + excluded.failures end,
      outage_since = case
        when ${answered}::boolean then null
        when ${failure}::boolean and hold.failures + 1 >= ${outageAfter}::integer then coalesce(hold.outage_since, ${now})
        else hold.outage_since end,
      throttled_until = greatest(hold.throttled_until, excluded.throttled_until),
      free_throttled_until = greatest(hold.free_throttled_until, excluded.free_throttled_until)`;
}

export async function holdOf(
  db: Database,
  {
    account,
    free,
    nowMs,
    memory,
  }: {
    readonly account: string;
    readonly free: boolean;
    readonly nowMs: number;
    readonly memory: Pick<LifeMemory, 'epoch' | 'witness'>;
  },
): Promise<AccountHold | undefined> {
  const life = free ? undefined : decideLife(await readLife(db, memory.witness()), memory.epoch());
  if (life !== undefined && life.kind !== 'same') {
    return { because: 'ledger', sinceMs: life.kind === 'held' ? life.sinceMs : nowMs };
  }
  const row = await db
    .selectFrom('tramita.account_hold')
    .select(['failures', 'outage_since', 'throttled_until', 'free_throttled_until'])
    .where('account', '=', account)
    .executeTakeFirst();
  return row === undefined ? undefined : decideHold(row, { free, nowMs });
}

/** True for the one caller, of all processes, that may look now whether the service is back. Else: when to ask again. */
export async function claimProbe(
  db: Database,
  { account, nowMs }: { readonly account: string; readonly nowMs: number },
): Promise<{ readonly claimed: true } | { readonly claimed: false; readonly nextAtMs: number }> {
  const claimed = await db
    .updateTable('tramita.account_hold')
    .set({ probed_at: new Date(nowMs) })
    .where('account', '=', account)
    .where('outage_since', 'is not', null)
    .where((eb) => eb.or([eb('probed_at', 'is', null), eb('probed_at', '<=', instant(nowMs - PROBE_EVERY_MS))]))
    .returning('account')
    .executeTakeFirst();
  if (claimed !== undefined) return { claimed: true };
  const row = await db
    .selectFrom('tramita.account_hold')
    .select('probed_at')
    .where('account', '=', account)
    .executeTakeFirst();
  return { claimed: false, nextAtMs: (row?.probed_at ?? nowMs) + PROBE_EVERY_MS };
}

/** The service is back. The failures stay counted: the next one holds the account again at once. */
export async function releaseHold(db: Database, account: string): Promise<void> {
  await db
    .updateTable('tramita.account_hold')
    .set({ outage_since: null })
    .where('account', '=', account)
    .where('outage_since', 'is not', null)
    .execute();
}

/** A free call of the account was told to wait: free calls wait, charged ones go on. */
export async function throttleAccount(
  db: Database,
  news: { readonly account: string; readonly untilMs: number; readonly nowMs: number },
): Promise<void> {
  await noteHold(
    {
      account: news.account,
      seen: 'nothing',
      throttledUntilMs: null,
      freeThrottledUntilMs: Math.min(news.untilMs, news.nowMs + LONGEST_THROTTLE_MS),
    },
    { outageAfter: 0, nowMs: news.nowMs },
  ).execute(db);
}
