/**
 * Everything that the decision about an opening rests on, in one statement: the row of this step, rows under the same
 * `once` key, equal calls of other runs, an answer that is young enough or that another run got since this one asked, and the
 * sums for the caps. It decides nothing.
 */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Amount } from '../contract/index.js';
import { eventExists } from '../inbox/index.js';
import { instant, type AccountHoldTable, type Database, type IntentTable } from '../store/index.js';
import { readKept, type KeptIntent } from './intent-row.js';
import type { LedgerLife } from './life/decide-life.js';
import { selectLife, toLife, type LifeColumns } from './life/read-life.js';
import type { IntentState, OpenIntent } from './types.js';

export interface Figures {
  /** Spent or reserved by this run. */
  readonly flowSpent: Amount;
  /** Spent or reserved under the shared budget's key, by whatever flow. */
  readonly sharedSpent: Amount;
  /** Spent or reserved by the account on this civil day of São Paulo. */
  readonly daySpent: Amount;
  readonly lastBalance: Amount | null;
  /** Reserved for calls that the last balance cannot contain yet. */
  readonly held: Amount;
  readonly highestCharge: Amount | null;
}

/** Why the account's calls wait, as it was read with everything else. */
export type HoldRow = Pick<
  Selectable<AccountHoldTable>,
  'failures' | 'outage_since' | 'throttled_until' | 'free_throttled_until'
>;

export interface LookUp {
  readonly own: KeptIntent | undefined;
  /** An event about the own row, which is pending, is in the inbox. */
  readonly ownEventSeen: boolean;
  /** Rows of other runs under the same account, type, `once` key and step; newest first. */
  readonly once: readonly KeptIntent[];
  /** The row named by `joinIntent`, when it is about the same call and covers its flags. */
  readonly target: KeptIntent | undefined;
  /** Undecided originals of other runs that cover the call; newest first. */
  readonly live: readonly KeptIntent[];
  /** A row of this step with a later ordinal: this one came to nothing in an earlier life of the run (reset). */
  readonly later: KeptIntent | undefined;
  /** Newest row of this step with an earlier ordinal that was paid, or may have been: this one must not pay again. */
  readonly earlier: KeptIntent | undefined;
  /** Newest finished original that is young enough and covers the call. */
  readonly young: KeptIntent | undefined;
  /** Newest answer that another run bought since this one has asked, and since its own last purchase of the same. */
  readonly shared: KeptIntent | undefined;
  readonly figures: Figures;
  readonly hold: HoldRow;
  readonly life: LedgerLife;
}

export interface LookUpRequest {
  readonly request: OpenIntent;
  readonly subject: string;
  readonly nowMs: number;
  /** A row that this worker knows to be committed. */
  readonly witness: string | null;
  readonly wanted: { readonly flow: boolean; readonly day: boolean; readonly floor: boolean; readonly price: boolean };
}

/** A step goes on to its next ordinal only from a row that cost nothing or was decided. */
export const MAY_BE_PAID: readonly IntentState[] = ['open', 'pending', 'done', 'charged_lost', 'unknown'];

/** Pending work of flows that ended is adopted no longer than a flow polls and parks (24 h + 30 d). */
const ADOPT_WITHIN_MS = 31 * 86_400_000;

type Role = 'own' | 'later' | 'earlier' | 'once' | 'target' | 'live' | 'young' | 'shared';
interface FigureColumns {
  readonly flow_spent: Amount | null;
  readonly shared_spent: Amount | null;
  readonly day_spent: Amount | null;
  readonly last_balance: Amount | null;
  readonly held: Amount | null;
  readonly highest_charge: Amount | null;
  readonly own_event_seen: boolean;
  readonly hold_failures: number | null;
  readonly outage_since: number | null;
  readonly throttled_until: number | null;
  readonly free_throttled_until: number | null;
}
type FoundRow = FigureColumns & LifeColumns & { readonly role: Role | null } & Selectable<IntentTable>;

export async function lookUp(trx: Database, asked: LookUpRequest): Promise<LookUp> {
  const { rows } = await sql<FoundRow>`
    with own as (
      select * from tramita.intent
      where workflow_id = ${asked.request.workflowId} and first_run_id = ${asked.request.firstRunId}
        and step = ${asked.request.step} and ordinal = ${asked.request.ordinal}
    )
    select figures.*, life.*, found.* from (${figures(asked)}) as figures cross join (${selectLife(asked.witness)}) as life left join (${candidates(asked)}) as found on true
    order by found.seq desc`.execute(trx);
  const inRole = (role: Role): KeptIntent[] => rows.filter((row) => row.role === role).map(readKept);
  const [first] = rows;
  return {
    own: inRole('own')[0],
    ownEventSeen: first?.own_event_seen === true,
    once: inRole('once'),
    later: inRole('later')[0],
    earlier: inRole('earlier')[0],
    target: inRole('target')[0],
    live: inRole('live'),
    young: inRole('young')[0],
    shared: inRole('shared')[0],
    figures: {
      flowSpent: (first?.flow_spent ?? 0) as Amount,
      sharedSpent: (first?.shared_spent ?? 0) as Amount,
      daySpent: (first?.day_spent ?? 0) as Amount,
      lastBalance: first?.last_balance ?? null,
      held: (first?.held ?? 0) as Amount,
      highestCharge: first?.highest_charge ?? null,
    },
    life: toLife(first as FoundRow),
    hold: {
      failures: first?.hold_failures ?? 0,
      outage_since: first?.outage_since ?? null,
      throttled_until: first?.throttled_until ?? null,
      free_throttled_until: first?.free_throttled_until ?? null,
    },
  };
}

function candidates({ request, subject, nowMs }: LookUpRequest): RawBuilder<unknown> {
  const equalCall = sql`account = ${request.account} and operation = ${request.operation} and subject = ${subject}`;
  const covers = sql`flags @> ${[...request.flags]}::text[]`;
  const otherRun = sql`(workflow_id, first_run_id) <> (${request.workflowId}, ${request.firstRunId})`;
  // `maxAge` allows an old answer; who waited for another flow's call takes whatever answered it since that call.
  const byAge = request.maxAgeMs === undefined ? null : Math.max(request.notBeforeMs ?? 0, nowMs - request.maxAgeMs);
  const youngSince = sql`least(${byAge === null ? null : instant(byAge)}, (
    select opened_at from tramita.intent where intent_id = ${request.joinIntent ?? null}::uuid and ${equalCall}))`;
  return sql`
    select 'own' as role, own.* from own
    union all
    select 'later', intent.* from tramita.intent
    where workflow_id = ${request.workflowId} and first_run_id = ${request.firstRunId}
      and step = ${request.step} and ordinal > ${request.ordinal}
    union all
    select 'earlier', intent.* from tramita.intent
    where workflow_id = ${request.workflowId} and first_run_id = ${request.firstRunId}
      and step = ${request.step} and ordinal < ${request.ordinal} and state = any(${[...MAY_BE_PAID]})
    union all
    select 'once', intent.* from tramita.intent
    where account = ${request.account} and workflow_type = ${request.workflowType} and once = ${request.once ?? null}
      and step = ${request.step} and ${otherRun}
    union all
    select 'target', intent.* from tramita.intent
    where intent_id = ${request.joinIntent ?? null}::uuid and ${equalCall} and ${covers}
    union all
    select 'live', intent.* from tramita.intent
    where ${equalCall} and ${covers} and ${otherRun} and joined is null
      and (state in ('open', 'unknown') or (state = 'pending' and opened_at > ${instant(nowMs - ADOPT_WITHIN_MS)}))
    union all
    (select 'young', intent.* from tramita.intent
     where ${equalCall} and ${covers} and joined is null and state = 'done'
       and (final_state = 'done' or (final_state is null and http_status between 200 and 299))
       and settled_at >= ${youngSince}
     order by settled_at desc limit 1)
    union all
    (select 'shared', intent.* from tramita.intent
     where ${equalCall} and ${covers} and ${otherRun} and joined is null and state = 'done'
       and settled_at >= ${sharedSince(request)}
     order by settled_at desc limit 1)`;
}

/** What was bought after this run asked is fresh enough for it, but not older than what its step has said it needs. */
function sharedSince({ askedAtMs, notBeforeMs }: OpenIntent): RawBuilder<unknown> {
  return askedAtMs === undefined ? sql`null` : instant(Math.max(askedAtMs, notBeforeMs ?? 0));
}

/** Each figure is computed only where the decision needs it. */
function figures({ request, nowMs, wanted }: LookUpRequest): RawBuilder<unknown> {
  const account = request.account;
  const lastBalance = sql`
    from tramita.intent where account = ${account} and balance_after is not null order by balance_at desc, seq desc limit 1`;
  const localDay = sql`(${instant(nowMs)} at time zone 'America/Sao_Paulo')::date`;
  return sql`
    select
      case when ${wanted.flow}::boolean then (
        select sum(tramita.spent(state, charged, reserved))::bigint from tramita.intent
        where workflow_id = ${request.workflowId} and first_run_id = ${request.firstRunId}) end as flow_spent,
      case when ${request.budget !== undefined}::boolean then (
        select sum(spent)::bigint from tramita.spend_budget where budget_key = ${request.budget?.key ?? null}) end as shared_spent,
      case when ${wanted.day}::boolean then (
        select sum(spent)::bigint from tramita.spend_day where account = ${account} and day = ${localDay}) end as day_spent,
      case when ${wanted.floor}::boolean then (select balance_after ${lastBalance}) end as last_balance,
      case when ${wanted.floor}::boolean then (
        select coalesce((select sum(held) from tramita.spend_live where account = ${account}), 0)::bigint
          + coalesce((select sum(reserved) from tramita.intent
            where account = ${account} and reserved > 0 and coalesce(charged, 0) = 0 and state not in ('open', 'pending', 'unknown')
              and settled_at > (select balance_at ${lastBalance})), 0)::bigint) end as held,
      case when ${wanted.price}::boolean then (
        select max(charged) from tramita.intent
        where account = ${account} and operation = ${request.operation} and charged > 0) end as highest_charge,
      coalesce((select ${eventExists(sql`own.waiter_keys`, sql`own.opened_at`)} from own where state = 'pending'), false)
        as own_event_seen,
      (select failures from tramita.account_hold where account = ${account}) as hold_failures,
      (select outage_since from tramita.account_hold where account = ${account}) as outage_since,
      (select throttled_until from tramita.account_hold where account = ${account}) as throttled_until,
      (select free_throttled_until from tramita.account_hold where account = ${account}) as free_throttled_until`;
}
