/**
 * Everything that the decision about an opening rests on, in one statement: the row of this step, rows under the same
 * `once` key, equal calls of other runs, an answer that is young enough or that another run got since this one asked. Sums that
 * other runs change too are looked at when the row is written. It decides nothing.
 *
 * What a call does not ask for is left out of the statement: planning it costs more than running it.
 */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Amount } from '../contract/index.js';
import { PENDING_AT_MOST_MS } from '../contract/values/index.js';
import { eventExists } from '../inbox/index.js';
import { instant, type IntentTable } from '../store/index.js';
import type { HoldFacts } from './account-hold.js';
import { readKept, type KeptIntent } from './intent-row.js';
import type { LedgerLife } from './life/decide-life.js';
import { selectLife, toLife, type LifeRow } from './life/read-life.js';
import type { OpenIntent } from './opening-request.js';
import { MAY_BE_PAID } from './states.js';

/** Sums that other runs change too. */
export interface SharedFigures {
  /** Spent or reserved under the shared budget's key, by whatever flow. */
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
  /** Spent or reserved by this run; zero where nobody asked. */
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

export function buildLookUp(asked: LookUpRequest): RawBuilder<FoundRow> {
  const { workflowId, firstRunId, step, ordinal } = asked.request;
  return sql<FoundRow>`
    with own as (
      select * from tramita.intent
      where workflow_id = ${workflowId} and first_run_id = ${firstRunId} and step = ${step} and ordinal = ${ordinal}
    )
    select figures.*, life.*, found.* from (${figures(asked)}) as figures cross join (${selectLife(asked.witness)}) as life left join (${candidates(asked)}) as found on true
    order by found.seq desc`;
}

/** At least one row. */
export function readLookUp(rows: readonly FoundRow[]): LookUp {
  const inRole = (role: Role): KeptIntent[] => rows.filter((row) => row.role === role).map(readKept);
  const first = rows[0] as FoundRow;
  const { flowSpent, highestCharge } = first;
  const { failures, outageSinceMs, throttledUntilMs, freeThrottledUntilMs } = first;
  return {
    own: inRole('own')[0],
    ownEventSeen: first.ownEventSeen,
    once: inRole('once'),
    later: inRole('later')[0],
    earlier: inRole('earlier')[0],
    target: inRole('target')[0],
    live: inRole('live'),
    young: inRole('young')[0],
    shared: inRole('shared')[0],
    ...{ flowSpent, highestCharge },
    hold: { failures, outageSinceMs, throttledUntilMs, freeThrottledUntilMs },
    life: toLife(first),
  };
}

function candidates({ request, subject, nowMs }: LookUpRequest): RawBuilder<unknown> {
  const { account, once, joinIntent, maxAgeMs, notBeforeMs, askedAtMs } = request;
  const equalCall = sql`account = ${account} and operation = ${request.operation} and subject = ${subject}`;
  const covers = sql`flags @> ${[...request.flags]}::text[]`;
  const otherRun = sql`(workflow_id, first_run_id) <> (${request.workflowId}, ${request.firstRunId})`;
  const sameStep = sql`workflow_id = ${request.workflowId} and first_run_id = ${request.firstRunId}
    and step = ${request.step}`;
  const found = [
    sql`select 'own' as role, own.* from own`,
    sql`select 'later', intent.* from tramita.intent where ${sameStep} and ordinal > ${request.ordinal}`,
    sql`
      select 'live', intent.* from tramita.intent
      where ${equalCall} and ${covers} and ${otherRun} and joined is null
        and (state in ('open', 'unknown') or (state = 'pending' and opened_at > ${instant(nowMs - PENDING_AT_MOST_MS)}))`,
  ];
  if (request.ordinal > 1) {
    found.push(sql`
      select 'earlier', intent.* from tramita.intent
      where ${sameStep} and ordinal < ${request.ordinal} and state = any(${[...MAY_BE_PAID]})`);
  }
  if (once !== undefined) {
    found.push(sql`
      select 'once', intent.* from tramita.intent
      where account = ${account} and workflow_type = ${request.workflowType} and once = ${once} and step = ${request.step}
        and ${otherRun}`);
  }
  if (joinIntent !== undefined) {
    found.push(sql`
      select 'target', intent.* from tramita.intent
      where intent_id = ${joinIntent}::uuid and ${equalCall} and ${covers}`);
  }
  if (maxAgeMs !== undefined || joinIntent !== undefined) {
    // `maxAge` allows an old answer; who waited for another flow's call takes whatever answered it since that call.
    const byAge = maxAgeMs === undefined ? null : Math.max(notBeforeMs ?? 0, nowMs - maxAgeMs);
    const youngSince = sql`least(${byAge === null ? null : instant(byAge)}, (
      select opened_at from tramita.intent where intent_id = ${joinIntent ?? null}::uuid and ${equalCall}))`;
    found.push(sql`
      (select 'young', intent.* from tramita.intent
       where ${equalCall} and ${covers} and joined is null and state = 'done'
         and (final_state = 'done' or (final_state is null and http_status between 200 and 299))
         and settled_at >= ${youngSince}
       order by settled_at desc limit 1)`);
  }
  if (askedAtMs !== undefined) {
    // What was bought after this run asked is fresh enough for it, but not older than what its step has said it needs.
    const since = instant(Math.max(askedAtMs, notBeforeMs ?? 0));
    found.push(sql`
      (select 'shared', intent.* from tramita.intent
       where ${equalCall} and ${covers} and ${otherRun} and joined is null and state = 'done' and settled_at >= ${since}
       order by settled_at desc limit 1)`);
  }
  return sql.join(found, sql` union all `);
}

function figures({
  request: { account, operation, workflowId, firstRunId },
  wanted,
}: LookUpRequest): RawBuilder<unknown> {
  const flowSpent = sql`coalesce((
    select sum(tramita.spent(state, charged, reserved))::bigint from tramita.intent
    where workflow_id = ${workflowId} and first_run_id = ${firstRunId}), 0)`;
  const highestCharge = sql`(
    select max(charged) from tramita.intent
    where account = ${account} and operation = ${operation} and charged > 0)`;
  return sql`
    select ${wanted.flow ? flowSpent : sql`0::bigint`} as "flowSpent",
      ${wanted.price ? highestCharge : sql`null::bigint`} as "highestCharge",
      coalesce((select ${eventExists(sql`own.waiter_keys`, sql`own.opened_at`)} from own where state = 'pending'), false)
        as "ownEventSeen",
      coalesce(hold.failures, 0) as failures, hold.outage_since as "outageSinceMs",
      hold.throttled_until as "throttledUntilMs", hold.free_throttled_until as "freeThrottledUntilMs"
    from (select) as always left join tramita.account_hold as hold on hold.account = ${account}`;
}
