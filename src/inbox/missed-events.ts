/**
 * Waits that polling had to end although a webhook was expected: rows of the ledger with nothing in the inbox about them
 * until they were settled. An event that came while the flow waited has left a wake of that flow; one that came before
 * anybody waited is found by the request id. Reads the ledger's table and writes nothing.
 */
import { sql, type RawBuilder } from 'kysely';
import { instant, type Database } from '../store/index.js';
import { decideSilence, WAITS_JUDGED } from './decide-silence.js';
import { answersToAny } from './decide-wakes.js';
import { WAKES_KEPT_MS } from './retention.js';
import type { MissedEvents, MissedWait } from './types.js';
import { EVENT_MARGIN_MS } from './waiter-statements.js';

/** The list is for people; the counts are of all. */
const MOST = 500;

interface Counted {
  readonly expected: number;
  readonly missed: number;
  readonly late: number;
}

/** `sinceMs` must not be older than wakes are kept. */
export async function findMissedEvents(
  db: Database,
  asked: { readonly sinceMs: number; readonly account?: string },
): Promise<MissedEvents> {
  const judged = judgedWaits(asked);
  const { rows: counts } = await sql<Counted>`
    with ${judged} select count(*) as expected, count(*) filter (where not announced) as missed,
      count(*) filter (where not announced and "lateMs" is not null) as late
    from judged`.execute(db);
  const { rows: waits } = await sql<MissedWait & { readonly announced: boolean }>`
    with ${judged} select * from judged where not announced order by "settledAtMs" desc limit ${MOST}`.execute(db);
  const { expected = 0, missed = 0, late = 0 } = counts[0] ?? {};
  return { expected, missed, late, waits: waits.map(({ announced: _announced, ...wait }) => wait) };
}

/** True where the last webhooks that the account expected did not come: see `decide-silence.ts`. Late ones count as come. */
export async function areWebhooksSilent(
  db: Database,
  { account, nowMs }: { readonly account: string; readonly nowMs: number },
): Promise<boolean> {
  const judged = judgedWaits({ sinceMs: nowMs - WAKES_KEPT_MS, account, newest: WAITS_JUDGED });
  const { rows } = await sql<{ readonly came: boolean; readonly delivered: boolean }>`
    with ${judged} select announced or "lateMs" is not null as came,
      exists (select from tramita.event where account = ${account}) as delivered
    from judged order by "settledAtMs" desc`.execute(db);
  return decideSilence({ came: rows.map(({ came }) => came), everDelivered: rows[0]?.delivered === true });
}

/**
 * Rows that waited (a 202 has named a request, or a status has proved the end) and whose end is known. A row that joined
 * another one waits for that one's event and is not counted beside it. Keys that name the case are forgotten when a row is
 * final; of a refresh the case is known by its result.
 */
function judgedWaits({
  sinceMs,
  account,
  newest,
}: {
  readonly sinceMs: number;
  readonly account?: string;
  /** Only so many, the newest ones. */
  readonly newest?: number;
}): RawBuilder<unknown> {
  const margin = sql`${EVENT_MARGIN_MS} * interval '1 millisecond'`;
  return sql`waits as (
    select intent.*, array_remove(array['request:' || lower(request_id), 'cnj:' || cnj], null) as event_keys
    from (
      select * from tramita.intent
      where webhook_expected and joined is null and settled_at >= ${instant(sinceMs)}
        and state in ('done', 'rejected', 'charged_lost') and (request_id is not null or evidence ? 'proof')
        and ${account === undefined ? sql`true` : sql`account = ${account}`}
      ${newest === undefined ? sql`` : sql`order by settled_at desc limit ${newest}`}
    ) as intent
    left join tramita.case_refresh on case_refresh.intent_id = intent.intent_id and finished_at >= ${instant(sinceMs)} - ${margin}
  ), judged as (
    select waits.intent_id as "intentId", waits.account, waits.workflow_id as "workflowId", operation,
      request_id as "requestId", opened_at as "openedAtMs", settled_at as "settledAtMs",
      (first_at is not null and first_at <= settled_at) or exists (
        select from tramita.event_wake
        where event_wake.workflow_id in (
            select waits.workflow_id union all select workflow_id from tramita.intent copy where copy.joined = waits.intent_id)
          and event_wake.event_key not like 'intent:%'
          and event_wake.created_at between opened_at - ${margin} and settled_at
      ) as announced,
      case when first_at > settled_at then (extract(epoch from first_at - settled_at) * 1000)::bigint end as "lateMs"
    from waits left join lateral (
      select min(received_at) as first_at from tramita.event
      where ${answersToAny(sql`waits.event_keys`)} and received_at >= opened_at - ${margin}
    ) as seen on true
  )`;
}
