/**
 * A database like that of a company after years, filled by SQL within a minute: ledger, waiters, events and a portfolio, equal for
 * equal options. Tests measure the cost of statements on it, and check that no plan scans a growing table.
 */
import { sql } from 'kysely';
import type { Database } from '../../src/store/index.js';

export interface Fill {
  /** Rows of the ledger, one in fifty pending, a few undecided. */
  readonly intents: number;
  /** Waiters of waiting flows: two keys each, half of them on pending rows. */
  readonly waiters: number;
  readonly events: number;
  /** Rows of the present day under the account `busy`. */
  readonly today: number;
  /** Cases of the round `big`, each with a refresh under its `once` key. */
  readonly round: number;
  readonly nowMs: number;
}

const BATCH = 500_000;
/** At most this many undecided rows of each kind, however large the ledger, because people keep up with them. */
const MOST_UNDECIDED = 200;

export async function fillLedger(db: Database, fill: Fill): Promise<void> {
  const undecidedEvery = Math.max(5_000, Math.ceil(fill.intents / MOST_UNDECIDED));
  // The sums are filled in afterwards, all at once, as the migration does it.
  await sql`alter table tramita.intent disable trigger intent_spend`.execute(db);
  const now = sql`to_timestamp(${fill.nowMs / 1_000}::double precision)`;
  await sql`
    insert into tramita.answer_body (sha256, bytes, content_type, stored_at)
    select encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), convert_to(repeat(n::text, 40), 'UTF8'), 'application/json', ${now}
    from generate_series(1, ${Math.ceil(fill.intents / 20)}) as n`.execute(db);
  for (let from = 1; from <= fill.intents; from += BATCH) {
    await insertIntents(from, Math.min(from + BATCH - 1, fill.intents));
  }
  await insertToday();
  await insertRound();
  for (let from = 1; from <= fill.events; from += BATCH) {
    await insertEvents(from, Math.min(from + BATCH - 1, fill.events));
  }
  // Flows wait for pending rows; where there are more waiters, for rows of their own kind.
  await sql`
    insert into tramita.waiter (workflow_id, key, intent_id, expires_at)
    select 'refresh.default.' || lpad(n::text, 20, '0'), key, ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      ${now} + interval '30 days'
    from generate_series(1, ${Math.ceil(fill.waiters / 2)}) as n,
      unnest(array['cnj:' || lpad(n::text, 20, '0'), 'request:' || md5(n::text)]) as key`.execute(db);
  await sql`alter table tramita.intent enable trigger intent_spend`.execute(db);
  await sql`select tramita.fill_in_spend()`.execute(db);
  await sql`analyze tramita.intent, tramita.answer_body, tramita.waiter, tramita.event, tramita.event_wake,
    tramita.portfolio_item`.execute(db);

  /** One in fifty is pending, a few are unknown or lost; one of ten belongs to a finished round. */
  function insertIntents(from: number, to: number): Promise<unknown> {
    return sql`
      insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, once, budget_key,
        operation, subject, flags, state, reserved, charged, balance_after, balance_at, request_id, http_status,
        body_sha256, final_state, webhook_expected, opened_at, settled_at, waiter_keys, locks)
      select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, account, 'refresh.' || account || '.' || lpad(n::text, 20, '0'),
        md5('run' || n), 'refreshCase', 'requestRefresh', 1,
        case when n % 10 = 0 then 'portfolio/old ' || n / 100000 || '/' || lpad(n::text, 20, '0') end,
        case when n % 10 = 0 then 'portfolio/old ' || n / 100000 end,
        case when n % 3 = 0 then 'getCase' else 'requestRefresh' end, md5(n::text), '{}',
        state, case when state in ('pending', 'unknown') then 1000 else 0 end,
        case when state in ('done', 'pending') then 1000 end, case when state = 'done' then 100000000 - n end,
        case when state = 'done' then opened_at end, md5('request' || n)::uuid::text,
        case state when 'done' then 200 when 'pending' then 202 end,
        case when state = 'done' then encode(sha256(convert_to((1 + n % ${Math.ceil(fill.intents / 20)})::text, 'UTF8')), 'hex') end,
        case when state = 'done' then 'done' end, state <> 'rejected', opened_at,
        case when state in ('done', 'rejected', 'charged_lost') then opened_at + interval '5 minutes' end,
        case when state = 'pending' then array['cnj:' || lpad(n::text, 20, '0')] else '{}' end, array[n::bigint]
      from (
        select n, case when n % 20 = 0 then 'other' else 'default' end as account,
          case when n % 50 = 1 then 'pending' when n % ${undecidedEvery} = 2 then 'unknown' when n % ${undecidedEvery} = 3 then 'charged_lost'
            when n % 40 = 4 then 'rejected' else 'done' end as state,
          ${now} - interval '2 days' - (${fill.intents} - n) * (interval '3 years' / ${fill.intents}) as opened_at
        from generate_series(${from}::bigint, ${to}::bigint) as n) as made`.execute(db);
  }

  function insertToday(): Promise<unknown> {
    return sql`
      insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, operation,
        subject, flags, state, reserved, charged, webhook_expected, opened_at, settled_at, waiter_keys, locks)
      select md5('today' || n)::uuid, 'busy', 'refresh.busy.' || lpad(n::text, 20, '0'), md5('run' || n), 'refreshCase',
        'requestRefresh', 1, 'requestRefresh', md5(n::text), '{}', 'done', 0, 1, true,
        ${now} - n * interval '1 microsecond', ${now}, '{}', array[n::bigint]
      from generate_series(1, ${fill.today}) as n`.execute(db);
  }

  async function insertRound(): Promise<void> {
    await sql`
      insert into tramita.portfolio_round (round, account, list, started_at)
      select round, 'default', 'big', ${now} from unnest(array['big', 'old 1', 'old 2', 'old 3', 'old 4']) as round`.execute(
      db,
    );
    await sql`
      insert into tramita.portfolio_item (round, position, cnj, state, changed_at)
      select round, n, lpad(n::text, 20, '0'), case when n % 10 = 0 then 'waiting' else 'done' end, ${now}
      from tramita.portfolio_round, generate_series(1, ${fill.round}) as n`.execute(db);
    await sql`
      insert into tramita.intent (intent_id, account, workflow_id, first_run_id, workflow_type, step, ordinal, once, budget_key, operation,
        subject, flags, state, reserved, charged, request_id, webhook_expected, opened_at, settled_at, waiter_keys, locks)
      select md5('round' || n)::uuid, 'default', 'round.' || n, md5('run' || n), 'refreshCase', 'requestRefresh', 1,
        'portfolio/big/' || lpad(n::text, 20, '0'), 'portfolio/big', 'requestRefresh', md5('round' || n), '{}', 'done', 0, 1000, md5('round' || n), true,
        ${now} - interval '1 day', ${now} - interval '1 day', '{}', array[n::bigint]
      from generate_series(1, ${fill.round}) as n`.execute(db);
  }

  async function insertEvents(from: number, to: number): Promise<void> {
    await sql`
      insert into tramita.event (account, event_key, event_id, event, body, body_sha256, conflict, keys, received_at)
      select 'default', md5('event' || n), md5('event' || n), 'case.refreshed', convert_to('{"n":' || n || '}', 'UTF8'), md5(n::text), false,
        array['cnj:' || lpad(n::text, 20, '0'), 'request:' || md5(n::text)],
        ${now} - interval '1 day' - (${fill.events} - n) * (interval '3 years' / ${fill.events})
      from generate_series(${from}::bigint, ${to}::bigint) as n`.execute(db);
    await sql`
      insert into tramita.event_wake (event_key, workflow_id, created_at, woken_at)
      select 'default/' || md5('event' || n), 'refresh.default.' || lpad(n::text, 20, '0'), ${now} - interval '1 day', ${now}
      from generate_series(${from}::bigint, ${to}::bigint) as n where n % 4 = 0`.execute(db);
  }
}
