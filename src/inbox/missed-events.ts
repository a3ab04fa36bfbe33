/**
 * Finds waits that polling had to end although a webhook was expected: rows of the ledger about which no event had arrived when
 * they were settled. An event that arrived while the flow waited left a wake for that flow; one that arrived before any flow
 * waited is found by its request id. Reads the ledger's table and writes nothing.
 */
import { CLOCK_MARGIN_MS, DAY_MS, WAKES_KEPT_MS } from '../contract/values/index.js';
import { sql, type RawBuilder } from 'kysely';
import { instant, type Database } from '../store/index.js';
import { decideSilence, WAITS_JUDGED } from './decide-silence.js';
import { answersToAny } from './decide-wakes.js';
import type { InboxDependencies } from './dependencies.js';
import { CNJ_KEY, INTENT_KEY, REQUEST_KEY } from './waiter-keys.js';

/** Limit of the list, which people read. The counts include all waits. */
const MOST = 500;

/** Waits that one statement judges. Each costs some look-ups, and the database ends a statement after some seconds. */
const MOST_AT_ONCE = 2_000;

/** The record of a refresh has the time of its settlement, to the clock of one worker. */
const RECORDED_WITHIN = sql.raw(`interval '5 minutes'`);

/** A wait that ended without the webhook that was expected. */
export interface MissedWait {
  readonly intentId: string;
  readonly account: string;
  readonly workflowId: string;
  readonly operation: string;
  readonly requestId: string | null;
  readonly openedAtMs: number;
  readonly settledAtMs: number;
  /** How long after the end an event about it arrived; null: none has. */
  readonly lateMs: number | null;
}

export interface MissedEvents {
  /** Ended waits of the period that expected a webhook. */
  readonly expected: number;
  /** Waits that ended without their webhook. */
  readonly missed: number;
  /** Missed waits whose webhook arrived later. */
  readonly late: number;
  /** The missed ones, newest first, at most 500. */
  readonly waits: readonly MissedWait[];
}

export interface WebhookChecks {
  /** Waits that expected a webhook and ended without it, at or after `sinceMs` (at most 30 days ago) and before `beforeMs`. */
  findMissedEvents(asked: {
    readonly sinceMs: number;
    readonly beforeMs?: number;
    readonly account?: string;
  }): Promise<MissedEvents>;
  /**
   * True if the last webhooks that the account expected did not arrive (`decide-silence.ts`: three, or one if none was ever
   * delivered). Late ones count as arrived.
   */
  areWebhooksSilent(account: string): Promise<boolean>;
}

/** `mostAtOnce`: waits that one statement judges. */
export function createWebhookChecks(
  { db, clock }: InboxDependencies,
  { mostAtOnce = MOST_AT_ONCE }: { readonly mostAtOnce?: number } = {},
): WebhookChecks {
  return {
    findMissedEvents: async ({ sinceMs, beforeMs, account }) => {
      let expected = 0;
      let missed = 0;
      let late = 0;
      const waits: MissedWait[] = [];
      const parts = partsBack(db, { sinceMs, beforeMs, account }, { nowMs: clock(), mostAtOnce });
      for await (const part of parts) {
        const { rows } = await sql<Counts & (MissedWait | NoWait)>`
          with ${judgedWaits(part)}, counts as (
            select count(*) as expected, count(*) filter (where not announced) as missed,
              count(*) filter (where not announced and "lateMs" is not null) as late
            from judged
          ), newest as (
            select * from judged where not announced order by "settledAtMs" desc, "intentId" limit ${MOST - waits.length}
          )
          select * from counts left join newest on true order by "settledAtMs" desc, "intentId"`.execute(db);
        expected += rows[0]?.expected ?? 0;
        missed += rows[0]?.missed ?? 0;
        late += rows[0]?.late ?? 0;
        for (const row of rows) if (row.intentId !== null) waits.push(withoutCounts(row));
      }
      return { expected, missed, late, waits };
    },
    areWebhooksSilent: async (account) => {
      const judged = judgedWaits({ sinceMs: clock() - WAKES_KEPT_MS, beforeMs: undefined, account }, WAITS_JUDGED);
      const { rows } = await sql<{ readonly came: boolean; readonly delivered: boolean }>`
        with ${judged} select announced or "lateMs" is not null as came,
          exists (select from tramita.event where account = ${account}) as delivered
        from judged order by "settledAtMs" desc`.execute(db);
      return decideSilence({ came: rows.map(({ came }) => came), everDelivered: rows[0]?.delivered === true });
    },
  };
}

type Counts = Omit<MissedEvents, 'waits'>;
type NoWait = { readonly intentId: null };
type Judged = Counts & MissedWait & { readonly announced?: boolean };

function withoutCounts({ expected: _e, missed: _m, late: _l, announced: _a, ...wait }: Judged): MissedWait {
  return wait;
}

interface Asked {
  readonly sinceMs: number;
  readonly beforeMs: number | undefined;
  readonly account: string | undefined;
}

/** The newest part first, so that no statement judges more waits than one may. Waits of one instant are not divided. */
async function* partsBack(
  db: Database,
  asked: Asked,
  { nowMs, mostAtOnce }: { readonly nowMs: number; readonly mostAtOnce: number },
): AsyncGenerator<Asked> {
  for (const day of daysBack(asked, nowMs)) {
    const { rows } = await sql<{ readonly sinceMs: number }>`
      select distinct settled_at as "sinceMs" from (
        select settled_at, row_number() over (order by settled_at desc) as place from ${waitsOf(day)}
      ) as placed where place % ${mostAtOnce} = 0 and settled_at > ${instant(day.sinceMs)} order by settled_at desc`.execute(
      db,
    );
    let { beforeMs } = day;
    for (const { sinceMs } of [...rows, day]) {
      yield { ...day, sinceMs, beforeMs };
      beforeMs = sinceMs;
    }
  }
}

/** The newest day first. Without an end, the first day has none. */
function* daysBack({ sinceMs, beforeMs, account }: Asked, nowMs: number): Generator<Asked> {
  for (let fromMs = beforeMs ?? nowMs, toMs = beforeMs; ; toMs = fromMs) {
    fromMs = Math.max(sinceMs, fromMs - DAY_MS);
    yield { sinceMs: fromMs, beforeMs: toMs, account };
    if (fromMs <= sinceMs) return;
  }
}

/**
 * Rows that waited (a 202 named a request, or a status proved the end) and whose end is known. A row that joined another one waits
 * for the other's event and is not counted.
 */
function waitsOf({ sinceMs, beforeMs, account }: Asked): RawBuilder<unknown> {
  return sql`tramita.intent
    where webhook_expected and joined is null and settled_at >= ${instant(sinceMs)}
      and state in ('done', 'rejected', 'charged_lost') and (request_id is not null or evidence ? 'proof')
      and ${beforeMs === undefined ? sql`true` : sql`settled_at < ${instant(beforeMs)}`}
      and ${account === undefined ? sql`true` : sql`account = ${account}`}`;
}

/** The waits, and which of them got their event. `newest`: only this many. */
function judgedWaits(asked: Asked, newest?: number): RawBuilder<unknown> {
  const margin = sql`${CLOCK_MARGIN_MS} * interval '1 millisecond'`;
  // A final row has lost the key of its case, so the case of a refresh comes from its record, which is written when its row is
  // settled. For few waits it is looked up by the time of each; behind `offset 0`, no plan reads those of a month instead.
  const refreshes =
    newest === undefined
      ? sql`left join tramita.case_refresh on case_refresh.intent_id = intent.intent_id
          and finished_at >= ${instant(asked.sinceMs)} - ${RECORDED_WITHIN}
          and ${asked.beforeMs === undefined ? sql`true` : sql`finished_at < ${instant(asked.beforeMs)} + ${RECORDED_WITHIN}`}`
      : sql`left join lateral (
          select intent_id, cnj from tramita.case_refresh
          where finished_at between settled_at - ${RECORDED_WITHIN} and settled_at + ${RECORDED_WITHIN} offset 0
        ) as refresh on refresh.intent_id = intent.intent_id`;
  // Materialized: beside the cost of the look-ups, the planner does not see the cost of this join.
  return sql`waits as materialized (
    select intent.*, array_remove(array[${REQUEST_KEY} || lower(request_id), ${CNJ_KEY} || cnj], null) as event_keys
    from (
      select * from ${waitsOf(asked)}
      ${newest === undefined ? sql`` : sql`order by settled_at desc limit ${newest}`}
    ) as intent
    ${refreshes}
  ), judged as (
    select waits.intent_id as "intentId", waits.account, waits.workflow_id as "workflowId", operation,
      request_id as "requestId", opened_at as "openedAtMs", settled_at as "settledAtMs",
      (first_at is not null and first_at <= settled_at) or exists (
        select from tramita.event_wake
        where event_wake.workflow_id in (
            select waits.workflow_id union all select workflow_id from tramita.intent copy where copy.joined = waits.intent_id)
          and not starts_with(event_wake.event_key, ${INTENT_KEY})
          and event_wake.created_at between opened_at - ${margin} and settled_at
      ) as announced,
      case when first_at > settled_at then (extract(epoch from first_at - settled_at) * 1000)::bigint end as "lateMs"
    from waits left join lateral (
      -- Behind \`offset 0\`, the time chooses no index: it would read all events since the wait began.
      select min(received_at) as first_at from (
        select received_at from tramita.event where ${answersToAny(sql`waits.event_keys`)} offset 0
      ) as about where received_at >= opened_at - ${margin}
    ) as seen on true
  )`;
}
