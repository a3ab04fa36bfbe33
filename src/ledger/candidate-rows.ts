/**
 * The rows that may decide an opening, as one statement: a branch for each role that this request can need, because planning a
 * branch costs more than reading its rows.
 */
import { sql, type RawBuilder } from 'kysely';
import { ARCHIVE_AT_LEAST_MS, DAY_MS, PENDING_AT_MOST_MS } from '../contract/values/index.js';
import { instant } from '../store/index.js';
import { ANSWER_DROPPED } from './answer-dropped.js';
import type { OpenIntent } from './opening-request.js';
import { MAY_BE_PAID } from './states.js';

export type Role = 'own' | 'later' | 'earlier' | 'once' | 'target' | 'live' | 'young' | 'shared';

export interface CandidateQuery {
  readonly request: OpenIntent;
  readonly subject: string;
  /** The `once` of the request, as it is and as an erasure may have left it. */
  readonly onceSpellings: readonly string[];
  readonly nowMs: number;
}

/** Columns of a table, to be added behind the role. */
export type ColumnsOf = (table: string) => RawBuilder<unknown>;

type Branch = RawBuilder<unknown>;

interface Context extends CandidateQuery {
  readonly columnsOf: ColumnsOf;
  readonly equalCall: RawBuilder<unknown>;
  readonly covers: RawBuilder<unknown>;
  /** A call that was sent too early shows an older state, whenever it is answered. Begins with `and`, or is empty. */
  readonly inTime: RawBuilder<unknown>;
  readonly otherRun: RawBuilder<unknown>;
}

export function candidateRows(query: CandidateQuery, columnsOf: ColumnsOf): RawBuilder<unknown> {
  const { request, subject } = query;
  const { once, joinIntent, maxAgeMs, askedAtMs, sentNotBeforeMs } = request;
  const context: Context = {
    ...query,
    columnsOf,
    equalCall: sql`account = ${request.account} and operation = ${request.operation} and subject = ${subject}`,
    covers: sql`flags @> ${[...request.flags]}::text[]`,
    inTime: sentNotBeforeMs === undefined ? sql`` : sql` and opened_at >= ${instant(sentNotBeforeMs)}`,
    otherRun: sql`(workflow_id, first_run_id) <> (${request.workflowId}, ${request.firstRunId})`,
  };
  const branches = [
    ofThisStep(context),
    live(context),
    ...(once === undefined ? [] : [underOnce(context)]),
    ...(joinIntent === undefined ? [] : [joined(context)]),
    ...(maxAgeMs === undefined && joinIntent === undefined ? [] : young(context)),
    ...(askedAtMs === undefined ? [] : shared(context, askedAtMs)),
  ];
  return sql.join(branches, sql` union all `);
}

function ofThisStep({ request: { ordinal }, columnsOf }: Context): Branch {
  return sql`select case when ordinal = ${ordinal} then 'own' when ordinal > ${ordinal} then 'later' else 'earlier' end as role${columnsOf('at_step')}
    from at_step where ordinal >= ${ordinal} or state = any(${[...MAY_BE_PAID]})`;
}

function live({ request, nowMs, columnsOf, equalCall, covers, inTime, otherRun }: Context): Branch {
  const { askedAtMs, notBeforeMs = 0 } = request;
  // Bought after this run asked, like `shared`. A row from a history is left out: it was settled later than answered.
  const lost =
    askedAtMs === undefined
      ? sql``
      : sql` or (settled_at >= ${instant(Math.max(askedAtMs, notBeforeMs))} and state = 'charged_lost'
          and evidence -> 'decision' is null and evidence ->> 'proof' is distinct from 'history'${inTime})`;
  return sql`select 'live'${columnsOf('intent')} from tramita.intent
    where ${equalCall} and ${covers} and ${otherRun} and joined is null
      and (state = 'unknown' or (state = 'open'${inTime}) or (state = 'pending' and opened_at > ${instant(nowMs - PENDING_AT_MOST_MS)}${inTime})${lost})`;
}

function underOnce({ request, onceSpellings, columnsOf, otherRun }: Context): Branch {
  return sql`select 'once'${columnsOf('intent')} from tramita.intent
    where account = ${request.account} and workflow_type = ${request.workflowType} and once = any(${[...onceSpellings]}::text[])
      and step = ${request.step} and ${otherRun}`;
}

/** The row named by `joinIntent`, wherever it is. */
function target({ joinIntent }: OpenIntent): RawBuilder<unknown> {
  const intentId = sql`${joinIntent ?? null}::uuid`;
  return sql`(select * from tramita.intent where intent_id = ${intentId}
    union all select * from tramita.archived_intent(${intentId})) as intent`;
}

function joined({ request, columnsOf, equalCall, covers, inTime }: Context): Branch {
  // A call that was sent too early counts while it is unknown, and once it is closed (a person may give it up); its answer is of
  // no use.
  const isUsable = sql`(state in ('unknown', 'closed') or (true${inTime}))`;
  return sql`select 'target'${columnsOf('intent')} from ${target(request)} where ${equalCall} and ${covers} and ${isUsable}`;
}

/** `maxAge` allows an old answer. A run that waited for another flow's call takes any answer since the opening of that call. */
function young(context: Context): readonly Branch[] {
  const { request, nowMs, equalCall } = context;
  const { joinIntent, maxAgeMs, notBeforeMs = 0 } = request;
  const byAgeMs = maxAgeMs === undefined ? undefined : Math.max(notBeforeMs, nowMs - maxAgeMs);
  const byAge = byAgeMs === undefined ? sql`null::timestamptz` : instant(byAgeMs);
  const since =
    joinIntent === undefined
      ? { sql: byAge, atMs: byAgeMs ?? nowMs }
      : { sql: sql`least(${byAge}, (select opened_at from ${target(request)} where ${equalCall} limit 1))`, atMs: 0 };
  // A row with a final state is of use only if its work ended well.
  const endedWell = sql`(final_state = 'done' or (final_state is null and http_status between 200 and 299))`;
  return newestDone(context, 'young', { since, condition: endedWell });
}

/** Bought after this run asked, and not before `notBeforeMs`. */
function shared(context: Context, askedAtMs: number): readonly Branch[] {
  const { notBeforeMs = 0 } = context.request;
  const atMs = Math.max(askedAtMs, notBeforeMs);
  return newestDone(context, 'shared', { since: { sql: instant(atMs), atMs }, condition: context.otherRun });
}

interface Since {
  readonly sql: RawBuilder<unknown>;
  /** Epoch ms; not later than `sql`. */
  readonly atMs: number;
}

/** The newest answer since then; the archive is read too if rows of that time may be in it. */
function newestDone(
  { request, subject, nowMs, columnsOf, equalCall, covers, inTime }: Context,
  role: Role,
  { since, condition }: { readonly since: Since; readonly condition: RawBuilder<unknown> },
): readonly Branch[] {
  const newest = sql`${covers} and ${condition} and joined is null and state = 'done' and not ${ANSWER_DROPPED} and settled_at >= ${since.sql}${inTime}
    order by settled_at desc limit 1`;
  const columns = columnsOf('intent');
  const branch = sql`(select ${sql.lit(role)}${columns} from tramita.intent where ${equalCall} and ${newest})`;
  if (since.atMs >= nowMs - ARCHIVE_AT_LEAST_MS + DAY_MS) return [branch];
  const archived = sql`(select ${sql.lit(role)}${columns} from tramita.archived_about(${request.account}, ${request.operation}, ${subject})
    as intent where ${newest})`;
  return [branch, archived];
}
