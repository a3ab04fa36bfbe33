/**
 * Inserts a new row together with its waiters, in one statement. If caps or the account's floor apply, the same statement checks
 * them and writes nothing if they leave no room.
 */
import { sql, type RawBuilder } from 'kysely';
import { eventExists, insertWaiters, intentKey } from '../inbox/index.js';
import { SEES_COMMITTED, civilDay, instant, type Database } from '../store/index.js';
import type { Room } from './decide-budget.js';
import { VERSION, buildRow, type KeptIntent } from './intent-row.js';
import type { SharedFigures } from './look-up.js';
import { MAY_MOVE, fromNewestBalance, isFinal } from './states.js';

export interface Insertion {
  readonly row: KeptIntent;
  readonly nowMs: number;
  /** Events about the row count from then on; for a row that joins another, from the opening of the original. Absent: none do. */
  readonly eventsSinceMs?: number;
}

export interface Inserted {
  readonly eventSeen: boolean;
  readonly version: string;
}

export async function insertIntent(trx: Database, insertion: Insertion): Promise<void> {
  await buildInsertion(insertion).execute(trx);
}

export function buildInsertion({ row, nowMs, eventsSinceMs }: Insertion): RawBuilder<Inserted> {
  const eventSeen =
    eventsSinceMs === undefined ? sql`false` : eventExists(sql`${[...row.waiterKeys]}::text[]`, instant(eventsSinceMs));
  const { columns, values } = knownColumns(row);
  return sql`
    with waiting as (${waitersOf(row, nowMs, sql`true`)})
    insert into tramita.intent (${columns}) values (${values}) returning ${eventSeen} as "eventSeen", ${VERSION} as version`;
}

/** The sums without this row, and the version of the written row; null if it was not written. */
export type Reserved = SharedFigures & { readonly version: string | null };

/** Precondition of a row that is written without a prior look-up: the look-up, and a condition on its rows (`looked`). */
export interface Expected {
  readonly look: RawBuilder<unknown>;
  readonly isSo: RawBuilder<boolean>;
}

/** Needs the locks of every limit in `room`: then nobody else writes between reading the sums and inserting the row. */
export function buildReservation({ row, nowMs }: Insertion, room: Room, expected?: Expected): RawBuilder<Reserved> {
  const looked = expected === undefined ? sql`` : sql`looked as materialized (${expected.look}), `;
  const isSo = expected === undefined ? sql`` : sql` and ${SEES_COMMITTED} and ${expected.isSo}`;
  const fits = sql`("daySpent" <= ${room.dayAtMost}::bigint) is not false
    and ("sharedSpent" <= ${room.sharedAtMost}::bigint) is not false
    and ("lastBalance" - held >= ${room.freeAtLeast}::bigint) is not false`;
  const { columns, values } = knownColumns(row);
  return sql`
    with ${looked}figures as materialized (${selectFigures({ account: row.intent.account, budgetKey: row.budgetKey }, nowMs, room)}),
    written as (
      insert into tramita.intent (${columns}) select ${values} from figures where ${fits}${isSo}
      returning ${VERSION} as version
    ),
    waiting as (${waitersOf(row, nowMs, sql`exists (select from written)`)})
    select figures.*, (select version from written) as version from figures`;
}

function waitersOf({ intent, waiterKeys }: KeptIntent, nowMs: number, when: RawBuilder<unknown>): RawBuilder<unknown> {
  // The own key `intent:<id>` too: if somebody else settles the row, its flow is woken.
  const keys = isFinal(intent.state) ? [] : [...waiterKeys, intentKey(intent.intentId)];
  return insertWaiters({ workflowId: intent.workflowId, intentId: intent.intentId, keys, nowMs, when });
}

/** Leaves out nulls: most columns of a new row are not known yet. */
function knownColumns(row: KeptIntent): {
  readonly columns: RawBuilder<unknown>;
  readonly values: RawBuilder<unknown>;
} {
  const given = Object.entries(buildRow(row)).filter(([, value]) => value !== null);
  return {
    columns: sql.raw(given.map(([column]) => column).join(', ')),
    values: sql.join(given.map(([, value]) => value)),
  };
}

interface Counted {
  readonly account: string;
  readonly budgetKey: string | null;
}

/** An account whose answers report no balance has many rows since its last reading: an opening reads the newest of them. */
const MOST_SINCE_READING = 1_000;

/** Each sum is computed only where a limit applies to it. */
export function selectFigures({ account, budgetKey }: Counted, nowMs: number, room: Room): RawBuilder<SharedFigures> {
  const lastBalance = fromNewestBalance(account);
  const day = sql`select sum(spent)::bigint from tramita.spend_day
    where account = ${account} and day = ${civilDay(nowMs)}`;
  const shared = sql`select sum(spent)::bigint from tramita.spend_budget where budget_key = ${budgetKey}`;
  const held = sql`
    select coalesce((select sum(held) from tramita.spend_live where account = ${account}), 0)::bigint
      + coalesce((select sum(reserved) from tramita.intent
        where account = ${account} and reserved > 0 and coalesce(charged, 0) = 0 and not ${MAY_MOVE}
          and settled_at > (select balance_at ${lastBalance})), 0)::bigint`;
  // The answers to calls since the reading need not report a balance. The order makes every plan use the index.
  const chargedSince = sql`
    select sum(charged) filter (where joined is null) from (
      select charged, joined from tramita.intent
      where account = ${account} and opened_at > (select balance_at ${lastBalance})
      order by opened_at desc limit ${sql.lit(MOST_SINCE_READING)}) as since`;
  const balance = sql`(select balance_after ${lastBalance}) - coalesce((${chargedSince}), 0)::bigint`;
  const sum = (limit: number | null, select: RawBuilder<unknown>): RawBuilder<unknown> =>
    limit === null ? sql`0::bigint` : sql`coalesce((${select}), 0)::bigint`;
  return sql<SharedFigures>`
    select ${sum(room.dayAtMost, day)} as "daySpent", ${sum(room.sharedAtMost, shared)} as "sharedSpent",
      ${room.freeAtLeast === null ? sql`null::bigint` : balance} as "lastBalance",
      ${sum(room.freeAtLeast, held)} as held`;
}
