/**
 * The cost of a statement no longer grows with the ledger: a trigger keeps running sums of the rows, and missing indexes are
 * added (docs/decisions/0036). Never edited once released: add a new migration.
 */
import type { Migration } from './migration.js';

export const flatCostMigration: Migration = {
  name: '0023-flat-cost',
  sql: `
-- What a row counts against a cap. A pending row whose 202 told no charge, or zero, may still be charged at its end.
create function tramita.spent(state text, charged bigint, reserved bigint) returns bigint language sql immutable
  return case when state = 'pending' and coalesce(charged, 0) = 0 then reserved else coalesce(charged, reserved) end;

-- Reserved for calls that no balance can contain yet, while they are undecided.
create function tramita.held(state text, charged bigint, reserved bigint) returns bigint language sql immutable
  return case when coalesce(charged, 0) = 0 and state in ('open', 'pending', 'unknown') then reserved else 0 end;

-- Each sum stands in sixteen lanes, so that two settlements seldom wait for one row. Lane -1 is what was there before.
create table tramita.spend_day (
  account text not null,
  -- Civil day of São Paulo on which the calls were opened.
  day date not null,
  operation text not null,
  lane smallint not null,
  spent bigint not null,
  told bigint not null,
  told_calls bigint not null,
  listed bigint not null,
  listed_calls bigint not null,
  evidence bigint not null,
  evidence_calls bigint not null,
  primary key (account, day, operation, lane)
) with (fillfactor = 50);
create table tramita.spend_live (
  account text not null,
  operation text not null,
  lane smallint not null,
  reserved bigint not null,
  reserved_calls bigint not null,
  held bigint not null,
  pending bigint not null,
  primary key (account, operation, lane)
) with (fillfactor = 50);
create table tramita.spend_budget (
  budget_key text not null,
  lane smallint not null,
  spent bigint not null,
  primary key (budget_key, lane)
) with (fillfactor = 50);

create function tramita.count_spend() returns trigger language plpgsql as $function$
declare
  none constant tramita.intent := null;
  was tramita.intent := case when tg_op = 'INSERT' then none else old end;
  now_is tramita.intent := case when tg_op = 'DELETE' then none else new end;
  row tramita.intent := case when tg_op = 'DELETE' then old else new end;
  own_lane constant smallint := pg_backend_pid() % 16;
  spent bigint := coalesce(tramita.spent(now_is.state, now_is.charged, now_is.reserved), 0)
    - coalesce(tramita.spent(was.state, was.charged, was.reserved), 0);
  held bigint := coalesce(tramita.held(now_is.state, now_is.charged, now_is.reserved), 0)
    - coalesce(tramita.held(was.state, was.charged, was.reserved), 0);
  reserved bigint := coalesce(now_is.reserved, 0) - coalesce(was.reserved, 0);
  reserved_calls bigint := (coalesce(now_is.reserved, 0) > 0)::int - (coalesce(was.reserved, 0) > 0)::int;
  pending bigint := coalesce((now_is.state = 'pending')::int, 0) - coalesce((was.state = 'pending')::int, 0);
  paid bigint := greatest(coalesce(now_is.charged, 0), 0);
  was_paid bigint := greatest(coalesce(was.charged, 0), 0);
  source text := coalesce(now_is.amount_source, 'told');
  was_source text := coalesce(was.amount_source, 'told');
begin
  -- A row that took another one's answer costs nothing.
  if row.joined is not null then return null; end if;
  if spent <> 0 or paid <> was_paid or source <> was_source then
    insert into tramita.spend_day as day values (row.account, (row.opened_at at time zone 'America/Sao_Paulo')::date,
      row.operation, own_lane, spent,
      case source when 'told' then paid else 0 end - case was_source when 'told' then was_paid else 0 end,
      (source = 'told' and paid > 0)::int - (was_source = 'told' and was_paid > 0)::int,
      case source when 'listed' then paid else 0 end - case was_source when 'listed' then was_paid else 0 end,
      (source = 'listed' and paid > 0)::int - (was_source = 'listed' and was_paid > 0)::int,
      case source when 'evidence' then paid else 0 end - case was_source when 'evidence' then was_paid else 0 end,
      (source = 'evidence' and paid > 0)::int - (was_source = 'evidence' and was_paid > 0)::int)
    on conflict on constraint spend_day_pkey do update set spent = day.spent + excluded.spent, told = day.told + excluded.told,
      told_calls = day.told_calls + excluded.told_calls, listed = day.listed + excluded.listed,
      listed_calls = day.listed_calls + excluded.listed_calls, evidence = day.evidence + excluded.evidence,
      evidence_calls = day.evidence_calls + excluded.evidence_calls;
  end if;
  if held <> 0 or reserved <> 0 or pending <> 0 then
    insert into tramita.spend_live as live values (row.account, row.operation, own_lane, reserved, reserved_calls, held, pending)
    on conflict on constraint spend_live_pkey do update set reserved = live.reserved + excluded.reserved,
      reserved_calls = live.reserved_calls + excluded.reserved_calls, held = live.held + excluded.held,
      pending = live.pending + excluded.pending;
  end if;
  if spent <> 0 and row.budget_key is not null then
    insert into tramita.spend_budget as budget values (row.budget_key, own_lane, spent)
    on conflict on constraint spend_budget_pkey do update set spent = budget.spent + excluded.spent;
  end if;
  return null;
end
$function$;

-- From here on every change is counted; what was there before is added by fill_in_spend.
create trigger intent_spend after insert or delete or update of state, reserved, charged, amount_source on tramita.intent
  for each row execute function tramita.count_spend();

create function tramita.forget_spend() returns trigger language plpgsql as $function$
begin
  truncate tramita.spend_day, tramita.spend_live, tramita.spend_budget;
  return null;
end
$function$;
create trigger intent_spend_truncated after truncate on tramita.intent
  for each statement execute function tramita.forget_spend();

-- A look for events would read all that is not merged into the index yet.
alter index tramita.event_keys set (fastupdate = off);

-- What the rows say and the sums do not. Empty when all is well; the difference at one instant is right while calls go on.
create view tramita.spend_day_drift as
  with rows as (
    select account, (opened_at at time zone 'America/Sao_Paulo')::date as day, operation,
      sum(tramita.spent(state, charged, reserved)) as spent,
      coalesce(sum(charged) filter (where charged > 0 and coalesce(amount_source, 'told') = 'told'), 0) as told,
      count(*) filter (where charged > 0 and coalesce(amount_source, 'told') = 'told') as told_calls,
      coalesce(sum(charged) filter (where charged > 0 and amount_source = 'listed'), 0) as listed,
      count(*) filter (where charged > 0 and amount_source = 'listed') as listed_calls,
      coalesce(sum(charged) filter (where charged > 0 and amount_source = 'evidence'), 0) as evidence,
      count(*) filter (where charged > 0 and amount_source = 'evidence') as evidence_calls
    from tramita.intent where joined is null group by 1, 2, 3
  ), sums as (
    select account, day, operation, sum(spent) as spent, sum(told) as told, sum(told_calls) as told_calls,
      sum(listed) as listed, sum(listed_calls) as listed_calls, sum(evidence) as evidence, sum(evidence_calls) as evidence_calls
    from tramita.spend_day group by 1, 2, 3
  ), drift as (
    select account, day, operation, coalesce(rows.spent, 0) - coalesce(sums.spent, 0) as spent,
      coalesce(rows.told, 0) - coalesce(sums.told, 0) as told, coalesce(rows.told_calls, 0) - coalesce(sums.told_calls, 0) as told_calls,
      coalesce(rows.listed, 0) - coalesce(sums.listed, 0) as listed,
      coalesce(rows.listed_calls, 0) - coalesce(sums.listed_calls, 0) as listed_calls,
      coalesce(rows.evidence, 0) - coalesce(sums.evidence, 0) as evidence,
      coalesce(rows.evidence_calls, 0) - coalesce(sums.evidence_calls, 0) as evidence_calls
    from rows full join sums using (account, day, operation)
  )
  select * from drift where (spent, told, told_calls, listed, listed_calls, evidence, evidence_calls) <> (0, 0, 0, 0, 0, 0, 0);
create view tramita.spend_live_drift as
  with rows as (
    select account, operation, sum(reserved) as reserved, count(*) filter (where reserved > 0) as reserved_calls,
      sum(tramita.held(state, charged, reserved)) as held, count(*) filter (where state = 'pending') as pending
    from tramita.intent where joined is null and (reserved > 0 or state = 'pending') group by 1, 2
  ), sums as (
    select account, operation, sum(reserved) as reserved, sum(reserved_calls) as reserved_calls, sum(held) as held,
      sum(pending) as pending
    from tramita.spend_live group by 1, 2
  ), drift as (
    select account, operation, coalesce(rows.reserved, 0) - coalesce(sums.reserved, 0) as reserved,
      coalesce(rows.reserved_calls, 0) - coalesce(sums.reserved_calls, 0) as reserved_calls,
      coalesce(rows.held, 0) - coalesce(sums.held, 0) as held, coalesce(rows.pending, 0) - coalesce(sums.pending, 0) as pending
    from rows full join sums using (account, operation)
  )
  select * from drift where (reserved, reserved_calls, held, pending) <> (0, 0, 0, 0);
create view tramita.spend_budget_drift as
  with rows as (
    select budget_key, sum(tramita.spent(state, charged, reserved)) as spent
    from tramita.intent where joined is null and budget_key is not null group by 1
  ), sums as (select budget_key, sum(spent) as spent from tramita.spend_budget group by 1), drift as (
    select budget_key, coalesce(rows.spent, 0) - coalesce(sums.spent, 0) as spent from rows full join sums using (budget_key)
  )
  select * from drift where spent <> 0;

-- Lane -1 takes what the sums lack. Each statement sees rows and sums at one instant, so nothing has to stand still.
create function tramita.fill_in_spend() returns void language plpgsql as $function$
begin
  insert into tramita.spend_day as day select account, day, operation, -1, spent, told, told_calls, listed, listed_calls,
    evidence, evidence_calls from tramita.spend_day_drift
    on conflict on constraint spend_day_pkey do update set spent = day.spent + excluded.spent, told = day.told + excluded.told,
    told_calls = day.told_calls + excluded.told_calls, listed = day.listed + excluded.listed,
    listed_calls = day.listed_calls + excluded.listed_calls, evidence = day.evidence + excluded.evidence,
    evidence_calls = day.evidence_calls + excluded.evidence_calls;
  insert into tramita.spend_live as live select account, operation, -1, reserved, reserved_calls, held, pending
    from tramita.spend_live_drift
    on conflict on constraint spend_live_pkey do update set reserved = live.reserved + excluded.reserved,
    reserved_calls = live.reserved_calls + excluded.reserved_calls, held = live.held + excluded.held,
    pending = live.pending + excluded.pending;
  insert into tramita.spend_budget as budget select budget_key, -1, spent from tramita.spend_budget_drift
    on conflict on constraint spend_budget_pkey do update set spent = budget.spent + excluded.spent;
end
$function$;
`,
  after: [
    'select tramita.fill_in_spend()',
    'create index concurrently if not exists intent_about on tramita.intent (account, operation, subject, seq desc)',
    `create index concurrently if not exists intent_unsettled on tramita.intent (state, seq desc)
      where state in ('open', 'pending', 'unknown', 'charged_lost')`,
    `create index concurrently if not exists intent_undecided_of on tramita.intent (account, opened_at)
      where state in ('unknown', 'charged_lost') and joined is null`,
    `create index concurrently if not exists intent_round on tramita.intent (account, once collate "C")
      where once like 'portfolio/%'`,
    `create index concurrently if not exists intent_held_since on tramita.intent (account, settled_at)
      where reserved > 0 and settled_at is not null`,
    // What was not merged into the index yet.
    `select gin_clean_pending_list('tramita.event_keys')`,
    // The newest rows of one account are found by that account; a window of time over all of them needs no order.
    'create index concurrently if not exists intent_settled_at on tramita.intent using brin (settled_at)',
    'drop index concurrently if exists tramita.intent_announced',
    'create index concurrently if not exists portfolio_item_state on tramita.portfolio_item (round, state)',
  ],
};
