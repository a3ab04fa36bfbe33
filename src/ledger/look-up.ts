/**
 * Reads everything that the decision about an opening needs, in one statement: the row of this step, rows under the same `once`
 * key, equal calls of other runs, an answer that is young enough or that another run got since this one asked. Sums that other
 * runs change too are read when the row is written. Decides nothing.
 *
 * What a call does not need is left out of the statement: planning it costs more than running it.
 */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Amount } from '../contract/index.js';
import { ARCHIVE_AT_LEAST_MS, DAY_MS, PENDING_AT_MOST_MS } from '../contract/values/index.js';
import { eventExists } from '../inbox/index.js';
import { instant, type IntentTable } from '../store/index.js';
import type { HoldFacts } from './account-hold.js';
import { ANSWER_DROPPED } from './answer-dropped.js';
import { readKept, rowsOfRun, type KeptIntent } from './intent-row.js';
import type { LedgerLife } from './life/decide-life.js';
import { selectLife, toLife, type LifeRow } from './life/read-life.js';
import type { OpenIntent } from './opening-request.js';
import { MAY_BE_PAID } from './states.js';

/** Sums that other runs change too. */
export interface SharedFigures {
  /** Spent or reserved under the shared budget's key, by any flow. */
  readonly sharedSpent: Amount;
  /** Spent or reserved by the account on this civil day of São Paulo. */
  readonly daySpent: Amount;
  readonly lastBalance: Amount | null;
  /** Reserved for calls that the last balance cannot contain yet. */
  readonly held: Amount;
}

export interface Figures extends SharedFigures {
  /** Spent or reserved by this run. */
  readonly flowSpent: Amount;
}

export interface LookUp {
  readonly own: KeptIntent | undefined;
  /** The own row is pending, and an event about it is in the inbox. */
  readonly ownEventSeen: boolean;
  /** Rows of other runs under the same account, type, `once` key and step; newest first. */
  readonly once: readonly KeptIntent[];
  /** The row named by `joinIntent`, when it is about the same call and covers its flags. */
  readonly target: KeptIntent | undefined;
  /** Unsettled originals of other runs that cover the call, and `charged_lost` ones since this run asked. Newest first. */
  readonly live: readonly KeptIntent[];
  /** Rows of this step with a later ordinal, newest first: before a reset, the run had gone on from this ordinal. */
  readonly later: readonly KeptIntent[];
  /** Newest row of this step with an earlier ordinal that was or may have been paid: this ordinal must not pay again. */
  readonly earlier: KeptIntent | undefined;
  /** Newest finished original that is young enough and covers the call. */
  readonly young: KeptIntent | undefined;
  /** Newest answer that another run bought since this run asked, and not before `notBeforeMs`. */
  readonly shared: KeptIntent | undefined;
  /** Spent or reserved by this run; zero unless `wanted.flow`. */
  readonly flowSpent: Amount;
  readonly highestCharge: Amount | null;
  readonly hold: HoldFacts;
  readonly life: LedgerLife;
}

export interface LookUpRequest {
  readonly request: OpenIntent;
  readonly subject: string;
  readonly nowMs: number;
  /** A row that this worker knows to be committed. */
  readonly witness: string | null;
  readonly wanted: { readonly flow: boolean; readonly price: boolean };
}

type Role = 'own' | 'later' | 'earlier' | 'once' | 'target' | 'live' | 'young' | 'shared';
export type FoundRow = Pick<LookUp, 'flowSpent' | 'highestCharge'> &
  HoldFacts &
  LifeRow & { readonly ownEventSeen: boolean; readonly role: Role | null } & Selectable<IntentTable>;

export function buildLookUp(query: LookUpRequest): RawBuilder<FoundRow> {
  const { ordinal } = query.request;
  const eventSeen = sql`coalesce((select ${eventExists(sql`own.waiter_keys`, sql`own.opened_at`)} from at_step as own
        where ordinal = ${ordinal} and state = 'pending'), false) as "ownEventSeen"`;
  return sql<FoundRow>`
    with at_step as materialized (select * from ${atStep(query)})
    select figures.*, life.*, found.*, ${eventSeen} from ${sources(query, ALL_COLUMNS)}
    order by found.seq desc`;
}

/** The same, with only the roles of the rows: each column costs, even if no row is found. */
export function buildRoles(query: LookUpRequest): RawBuilder<Omit<FoundRow, keyof IntentTable | 'ownEventSeen'>> {
  return sql`
    with at_step as materialized (select ordinal, state from ${atStep(query)})
    select figures.*, life.*, found.role from ${sources(query, NO_COLUMNS)}`;
}

const ALL_COLUMNS = (table: string): RawBuilder<unknown> => sql`, ${sql.ref(table)}.*`;
const NO_COLUMNS = (): RawBuilder<unknown> => sql``;

function atStep({ request }: LookUpRequest): RawBuilder<unknown> {
  return sql`${rowsOfRun(request)} where step = ${request.step}`;
}

function sources(query: LookUpRequest, columnsOf: typeof ALL_COLUMNS): RawBuilder<unknown> {
  return sql`(${figures(query)}) as figures cross join (${selectLife(query.witness)}) as life
    left join (${candidates(query, columnsOf)}) as found on true`;
}

/** `rows` has at least one. */
export function readLookUp(rows: readonly FoundRow[]): LookUp {
  const inRole = (role: Role): KeptIntent[] => rows.filter((row) => row.role === role).map(readKept);
  const first = rows[0] as FoundRow;
  const { flowSpent, highestCharge } = first;
  const { failures, outageSinceMs, throttledUntilMs, freeThrottledUntilMs } = first;
  return {
    own: inRole('own')[0],
    ownEventSeen: first.ownEventSeen,
    once: inRole('once'),
    later: inRole('later'),
    earlier: inRole('earlier')[0],
    target: inRole('target')[0],
    live: inRole('live'),
    young: inRole('young')[0],
    shared: inRole('shared')[0],
    flowSpent,
    highestCharge,
    hold: { failures, outageSinceMs, throttledUntilMs, freeThrottledUntilMs },
    life: toLife(first),
  };
}

/** Only the branches that this request can need: planning a branch costs more than reading its rows. */
function candidates({ request, subject, nowMs }: LookUpRequest, columnsOf: typeof ALL_COLUMNS): RawBuilder<unknown> {
  const ofRow = columnsOf('intent');
  const { ordinal, joinIntent, maxAgeMs, askedAtMs, notBeforeMs = 0, sentNotBeforeMs } = request;
  const equalCall = sql`account = ${request.account} and operation = ${request.operation} and subject = ${subject}`;
  const covers = sql`flags @> ${[...request.flags]}::text[]`;
  // A call that was sent too early shows an older state, whenever it is answered.
  const inTime = sentNotBeforeMs === undefined ? sql`` : sql` and opened_at >= ${instant(sentNotBeforeMs)}`;
  const otherRun = sql`(workflow_id, first_run_id) <> (${request.workflowId}, ${request.firstRunId})`;
  // The archive is read too if the period reaches back to rows that may be in it.
  const archivedBeforeMs = nowMs - ARCHIVE_AT_LEAST_MS + DAY_MS;
  const done = (role: Role, since: Since, condition: RawBuilder<unknown>): readonly RawBuilder<unknown>[] => {
    const newest = sql`${covers} and ${condition} and joined is null and state = 'done' and not ${ANSWER_DROPPED} and settled_at >= ${since.sql}${inTime}
      order by settled_at desc limit 1`;
    return [
      sql`(select ${sql.lit(role)}${ofRow} from tramita.intent where ${equalCall} and ${newest})`,
      ...(since.atMs >= archivedBeforeMs
        ? []
        : [
            sql`(select ${sql.lit(role)}${ofRow} from tramita.archived_about(${request.account}, ${request.operation}, ${subject})
              as intent where ${newest})`,
          ]),
    ];
  };
  // Bought after this run asked, like `shared` below. A row from a history is left out: it was settled later than answered.
  const lost =
    askedAtMs === undefined
      ? sql``
      : sql` or (settled_at >= ${instant(Math.max(askedAtMs, notBeforeMs))} and state = 'charged_lost'
          and evidence -> 'decision' is null and evidence ->> 'proof' is distinct from 'history'${inTime})`;
  const target = sql`(select * from tramita.intent where intent_id = ${joinIntent ?? null}::uuid
    union all select * from tramita.archived_intent(${joinIntent ?? null}::uuid)) as intent`;
  const branches = [
    sql`select case when ordinal = ${ordinal} then 'own' when ordinal > ${ordinal} then 'later' else 'earlier' end as role${columnsOf('at_step')}
      from at_step where ordinal >= ${ordinal} or state = any(${[...MAY_BE_PAID]})`,
    sql`select 'live'${ofRow} from tramita.intent
      where ${equalCall} and ${covers} and ${otherRun} and joined is null
        and (state = 'unknown' or (state = 'open'${inTime}) or (state = 'pending' and opened_at > ${instant(nowMs - PENDING_AT_MOST_MS)}${inTime})${lost})`,
  ];
  if (request.once !== undefined) {
    branches.push(sql`select 'once'${ofRow} from tramita.intent
      where account = ${request.account} and workflow_type = ${request.workflowType} and once = ${request.once}
        and step = ${request.step} and ${otherRun}`);
  }
  if (joinIntent !== undefined) {
    // A call that was sent too early counts while it is unknown, and once it is closed (a person may give it up); its answer is of
    // no use.
    const isUsable = sql`(state in ('unknown', 'closed') or (true${inTime}))`;
    branches.push(sql`select 'target'${ofRow} from ${target} where ${equalCall} and ${covers} and ${isUsable}`);
  }
  if (maxAgeMs !== undefined || joinIntent !== undefined) {
    // `maxAge` allows an old answer. A run that waited for another flow's call takes any answer since the opening of that call.
    const byAgeMs = maxAgeMs === undefined ? undefined : Math.max(notBeforeMs, nowMs - maxAgeMs);
    const byAge = byAgeMs === undefined ? sql`null::timestamptz` : instant(byAgeMs);
    const since =
      joinIntent === undefined
        ? { sql: byAge, atMs: byAgeMs ?? nowMs }
        : { sql: sql`least(${byAge}, (select opened_at from ${target} where ${equalCall} limit 1))`, atMs: 0 };
    // A row with a final state is of use only if its work ended well.
    branches.push(
      ...done('young', since, sql`(final_state = 'done' or (final_state is null and http_status between 200 and 299))`),
    );
  }
  if (askedAtMs !== undefined) {
    // Bought after this run asked, and not before `notBeforeMs`.
    const atMs = Math.max(askedAtMs, notBeforeMs);
    branches.push(...done('shared', { sql: instant(atMs), atMs }, otherRun));
  }
  return sql.join(branches, sql` union all `);
}

interface Since {
  readonly sql: RawBuilder<unknown>;
  /** Epoch ms; not later than `sql`. */
  readonly atMs: number;
}

function figures({ request, wanted }: LookUpRequest): RawBuilder<unknown> {
  const { account, operation } = request;
  const flowSpent = sql`coalesce((
    select sum(tramita.spent(state, charged, reserved))::bigint from ${rowsOfRun(request)}), 0)`;
  const highestCharge = sql`(
    select max(charged) from tramita.intent
    where account = ${account} and operation = ${operation} and charged > 0)`;
  return sql`
    select ${wanted.flow ? flowSpent : sql`0::bigint`} as "flowSpent",
      ${wanted.price ? highestCharge : sql`null::bigint`} as "highestCharge",
      coalesce(hold.failures, 0) as failures, hold.outage_since as "outageSinceMs",
      hold.throttled_until as "throttledUntilMs", hold.free_throttled_until as "freeThrottledUntilMs"
    from (select) as always left join tramita.account_hold as hold on hold.account = ${account}`;
}
