/** Statements about the table `account_hold`; `account-hold.ts` decides what is written. */
import { PROBE_EVERY_MS } from '../contract/values/index.js';
import { sql, type RawBuilder } from 'kysely';
import { instant } from '../store/index.js';
import {
  BELIEVED_THROTTLE_MS,
  LONGEST_THROTTLE_MS,
  decideHold,
  type AccountHold,
  type HoldFacts,
  type HoldNews,
} from './account-hold.js';
import { holdOfLife } from './life/decide-life.js';
import { readLife } from './life/read-life.js';
import type { LedgerContext } from './settings.js';

/** The right to probe the service for an account that an outage holds. */
export type ProbeClaim = { readonly claimed: true } | { readonly claimed: false; readonly nextAtMs: number };

export interface AccountHolds {
  /** Why calls of the account wait now; a `free` one is not held by an outage. */
  holdOf(account: string, call: { readonly free: boolean }): Promise<AccountHold | undefined>;
  /**
   * Granted to one caller per minute, across all processes, while an outage holds the account: it probes for free whether the
   * service is back. All others learn when the next probe is due.
   */
  claimProbe(account: string): Promise<ProbeClaim>;
  /** The service is back: charged calls of the account may be sent. Failures stay counted, so the next one holds calls again. */
  releaseHold(account: string): Promise<void>;
  /** A free call was asked to wait (429 with `Retry-After`): free calls of the account wait until then, charged ones go on. */
  throttle(account: string, untilMs: number): Promise<void>;
}

/** The columns of the table, named like the members of {@link HoldFacts}. */
export const HOLD_FACTS = sql<HoldFacts>`failures, outage_since as "outageSinceMs", throttled_until as "throttledUntilMs",
  free_throttled_until as "freeThrottledUntilMs"`;

interface NotedWith {
  readonly outageAfter: number;
  readonly nowMs: number;
  readonly when?: RawBuilder<unknown>;
}

export function createHolds({ db, clock, memory }: Pick<LedgerContext, 'db' | 'clock' | 'memory'>): AccountHolds {
  return {
    holdOf: async (account, { free }) => {
      const nowMs = clock();
      const held = free ? undefined : holdOfLife(await readLife(db, memory.witness()), memory.epoch(), nowMs);
      if (held !== undefined) return held;
      const { rows } = await sql<HoldFacts>`
        select ${HOLD_FACTS} from tramita.account_hold where account = ${account}`.execute(db);
      return rows[0] === undefined ? undefined : decideHold(rows[0], { free, nowMs });
    },
    claimProbe: async (account) => {
      const nowMs = clock();
      const claimed = await db
        .updateTable('tramita.account_hold')
        .set({ probed_at: new Date(nowMs) })
        .where('account', '=', account)
        .where('outage_since', 'is not', null)
        .where((eb) =>
          eb.or([
            eb('probed_at', 'is', null),
            eb('probed_at', '<=', instant(nowMs - PROBE_EVERY_MS)),
            // Written by a clock that ran ahead.
            eb('probed_at', '>', instant(nowMs + PROBE_EVERY_MS)),
          ]),
        )
        .returning('account')
        .executeTakeFirst();
      if (claimed !== undefined) return { claimed: true };
      const row = await db
        .selectFrom('tramita.account_hold')
        .select('probed_at')
        .where('account', '=', account)
        .executeTakeFirst();
      return { claimed: false, nextAtMs: (row?.probed_at ?? nowMs) + PROBE_EVERY_MS };
    },
    releaseHold: async (account) => {
      await db
        .updateTable('tramita.account_hold')
        .set({ outage_since: null })
        .where('account', '=', account)
        .where('outage_since', 'is not', null)
        .execute();
    },
    throttle: async (account, untilMs) => {
      const nowMs = clock();
      const freeThrottledUntilMs = Math.min(untilMs, nowMs + LONGEST_THROTTLE_MS);
      const news: HoldNews = { account, seen: 'nothing', throttledUntilMs: null, freeThrottledUntilMs };
      await noteHold(news, { outageAfter: 0, nowMs }).execute(db);
    },
  };
}

/** For a `with` clause. Writes only if `when` is true and there is news, so that calls of one account do not block each other. */
export function noteHold(
  news: HoldNews,
  { outageAfter, nowMs, when = sql`true` }: NotedWith,
): RawBuilder<Record<string, unknown>> {
  const { account, throttledUntilMs, freeThrottledUntilMs } = news;
  const failure = news.seen === 'failure' && outageAfter > 0;
  const isThrottled = throttledUntilMs !== null || freeThrottledUntilMs !== null;
  if (!failure && news.seen !== 'answer' && !isThrottled) return sql`select 1 where false`;
  if (!failure && !isThrottled) {
    return sql`
      update tramita.account_hold set failures = 0, outage_since = null
      where account = ${account} and (failures > 0 or outage_since is not null) and ${when}`;
  }
  const now = instant(nowMs);
  const answered = news.seen === 'answer';
  const later = (column: string): RawBuilder<unknown> => {
    const stored = sql.ref(`hold.${column}`);
    // A stored end from a clock that ran ahead does not hide a present one.
    const believed = sql`case when ${stored} <= ${instant(nowMs + BELIEVED_THROTTLE_MS)} then ${stored} end`;
    return sql`greatest(${believed}, ${sql.ref(`excluded.${column}`)})`;
  };
  return sql`
    insert into tramita.account_hold as hold (account, failures, outage_since, throttled_until, free_throttled_until)
    select ${account}, ${failure ? 1 : 0}::integer, ${failure && outageAfter === 1 ? now : null}::timestamptz,
      ${throttledUntilMs === null ? null : instant(throttledUntilMs)}::timestamptz,
      ${freeThrottledUntilMs === null ? null : instant(freeThrottledUntilMs)}::timestamptz
    where ${when}
    on conflict (account) do update set
      failures = case when ${answered}::boolean then 0 else hold.failures + excluded.failures end,
      outage_since = case
        when ${answered}::boolean then null
        when ${failure}::boolean and hold.failures + 1 >= ${outageAfter}::integer then coalesce(hold.outage_since, ${now})
        else hold.outage_since end,
      throttled_until = ${later('throttled_until')}, free_throttled_until = ${later('free_throttled_until')}`;
}
