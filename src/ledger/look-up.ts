/**
 * Reads everything that the decision about an opening needs, in one statement: the row of this step, rows under the same `once`
 * key, equal calls of other runs, an answer that is young enough or that another run got since this one asked. Sums that other
 * runs change too are read when the row is written. Decides nothing.
 */
import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Amount } from '../contract/index.js';
import { eventExists } from '../inbox/index.js';
import type { IntentTable } from '../store/index.js';
import type { HoldFacts } from './account-hold.js';
import { candidateRows, type CandidateQuery, type ColumnsOf, type Role } from './candidate-rows.js';
import { readKept, rowsOfRun, type KeptIntent } from './intent-row.js';
import type { LedgerLife } from './life/decide-life.js';
import { selectLife, toLife, type LifeRow } from './life/read-life.js';

/** Sums that other runs change too. */
export interface SharedFigures {
  /** Spent or reserved under the shared budget's key, by any flow. */
  readonly sharedSpent: Amount;
  /** Spent or reserved by the account on this civil day of São Paulo. */
  readonly daySpent: Amount;
  /** The last reported balance, less the known charges of calls since. */
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

export interface LookUpRequest extends CandidateQuery {
  /** A row that this worker knows to be committed. */
  readonly witness: string | null;
  readonly wanted: { readonly flow: boolean; readonly price: boolean };
}

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

const ALL_COLUMNS: ColumnsOf = (table) => sql`, ${sql.ref(table)}.*`;
const NO_COLUMNS: ColumnsOf = () => sql``;

function atStep({ request }: LookUpRequest): RawBuilder<unknown> {
  return sql`${rowsOfRun(request)} where step = ${request.step}`;
}

function sources(query: LookUpRequest, columnsOf: ColumnsOf): RawBuilder<unknown> {
  return sql`(${figures(query)}) as figures cross join (${selectLife(query.witness)}) as life
    left join (${candidateRows(query, columnsOf)}) as found on true`;
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
