/**
 * Writes a change of a row in one statement: the answer's body, the row, the rows that joined it, its waiters, and the wakes that
 * are owed for it. Returns whether an event about this work is in the inbox already.
 */
import { sql, type RawBuilder } from 'kysely';
import { eventExists, insertWaiters, intentKey, requestKey, type Wake } from '../inbox/index.js';
import { SEES_COMMITTED, instant } from '../store/index.js';
import { factsOf, pick, type Intent } from './intent.js';
import { FACT_COLUMNS, VERSION, assign, buildColumns, buildKeys, type KeptIntent } from './intent-row.js';
import { isFinal } from './states.js';

export interface StoredBody {
  readonly sha256: string;
  readonly bytes: Buffer;
  readonly contentType: string | null;
}

export interface IntentChange {
  readonly before: KeptIntent;
  /** Version of `before`, if it was read without its locks: nothing is written if the row has changed since. */
  readonly version?: string;
  /** Nothing is written if this holds. */
  readonly unless?: RawBuilder<boolean>;
  readonly after: Intent;
  readonly body?: StoredBody;
  /**
   * The answer reported a balance. `now`: the newest of the account. `before`: that of a final answer of accepted work, which may
   * be as old as the row's opening.
   */
  readonly reportedBalance?: 'now' | 'before' | undefined;
  /** What the result says about the account: noted in the same statement, `when` the row is written. */
  readonly hold?: (when: RawBuilder<unknown>) => RawBuilder<Record<string, unknown>>;
  /** This workflow is not woken. */
  readonly askedBy?: string;
  readonly nowMs: number;
}

export interface Written {
  readonly eventSeen: boolean;
  /** Workflow ids. */
  readonly woken: readonly string[];
}

/** SQL condition: the row of this change was written. */
const IS_WRITTEN = sql<boolean>`exists (select from changed)`;

/**
 * Returns one row, or none if the row has changed since `version`. What a change does not touch is left out of the statement: the
 * server prepares each part of it, even for no row.
 */
export function buildChange(change: IntentChange): RawBuilder<Written> {
  const { before, after, nowMs, body } = change;
  const id = after.intentId;
  const hasMoved = before.intent.state !== after.state;
  const hasEnded = isFinal(after.state);
  const keys = keysAfter(before, after);
  const newKeys = keys.filter((key) => !before.waiterKeys.includes(key));
  const waiters = { workflowId: after.workflowId, intentId: id, keys: newKeys, nowMs, when: IS_WRITTEN };
  const hold = change.hold?.(IS_WRITTEN);
  const parts = [
    sql`changed as (${updateRow(change, keys)})`,
    sql`copied as (${updateJoined(change)})`,
    ...(body === undefined ? [] : [sql`stored as (${insertBody(body, nowMs, IS_WRITTEN)})`]),
    ...(body === undefined ? [] : [sql`bytes as (${insertBytes(body)})`]),
    ...(newKeys.length === 0 ? [] : [sql`waiting as (${insertWaiters(waiters)})`]),
    ...(hasMoved ? [sql`woken as (${insertWakes({ id, askedBy: change.askedBy, nowMs })})`] : []),
    ...(hasMoved && !hasEnded ? [sql`dropped as (${deleteWoken(id, after.workflowId)})`] : []),
    ...(hasEnded ? [sql`ended as (${deleteWaiters(id)})`] : []),
    ...(hold === undefined ? [] : [sql`held as (${hold})`]),
  ];
  const woken = hasMoved
    ? sql`coalesce((select array_agg(workflow_id order by workflow_id) from woken), '{}')`
    : NO_IDS;
  const eventSeen = eventExists(sql`${[...before.waiterKeys, ...newKeys]}::text[]`, instant(after.openedAtMs));
  return sql<Written>`with ${sql.join(parts)} select ${eventSeen} as "eventSeen", ${woken} as woken from changed`;
}

/** What a written change owes. */
export function wakesOf({ after, nowMs }: Pick<IntentChange, 'after' | 'nowMs'>, { woken }: Written): readonly Wake[] {
  const eventKey = intentKey(after.intentId);
  return woken.map((workflowId) => ({ eventKey, workflowId, owedSinceMs: nowMs }));
}

const NO_IDS = sql`'{}'::text[]`;

function updateRow(change: IntentChange, keys: readonly string[]): RawBuilder<unknown> {
  const { after, version, unless, nowMs } = change;
  const columns = {
    ...buildColumns(factsOf(after)),
    ...buildColumns(pick(after, ['reserved', 'charged', 'amountSource', 'balanceAfter', 'serviceOpenedAtMs'])),
    ...(change.reportedBalance === 'now' ? { balance_at: new Date(nowMs) } : {}),
    ...buildKeys(after, keys),
  };
  const isSame = version === undefined ? sql`` : sql` and ${VERSION} = ${version} and ${SEES_COMMITTED}`;
  const isStill = unless === undefined ? sql`` : sql` and not ${unless}`;
  const atOpening = change.reportedBalance === 'before' ? sql`, balance_at = coalesce(balance_at, opened_at)` : sql``;
  return sql`update tramita.intent set ${assign(columns)}${atOpening} where intent_id = ${after.intentId}::uuid${isSame}${isStill} returning ${CHANGED}`;
}

const CHANGED = sql.raw(['intent_id', ...FACT_COLUMNS].join(', '));
const AS_CHANGED = sql.raw(FACT_COLUMNS.map((column) => `${column} = changed.${column}`).join(', '));
const WITHOUT_KEYS = sql`, waiter_keys = '{}', locks = copy.locks[1:1]`;

/** Updates the rows that joined the written one. */
function updateJoined({ before, after }: IntentChange): RawBuilder<unknown> {
  return sql`
    update tramita.intent as copy set ${AS_CHANGED}${isFinal(after.state) ? WITHOUT_KEYS : sql``} from changed
    where copy.joined = changed.intent_id and copy.state = ${before.intent.state}`;
}

/** The clause `stored`. An answer is stored once, however many calls got it. */
export function insertBody(
  body: StoredBody | undefined,
  nowMs: number,
  when: RawBuilder<boolean> = sql`true`,
): RawBuilder<Record<string, unknown>> {
  return sql`
    insert into tramita.answer_body (sha256, content_type, stored_at)
    select ${body?.sha256 ?? null}, ${body?.contentType ?? null}, ${instant(nowMs)}
    where ${body !== undefined}::boolean and ${when}
    on conflict (sha256) do nothing returning sha256, stored_at`;
}

/** The clause beside it: the bytes of the answer, if `stored` has inserted it. */
export function insertBytes(body: StoredBody | undefined): RawBuilder<Record<string, unknown>> {
  return sql`
    insert into tramita.answer_bytes (stored_at, sha256, bytes)
    select stored_at, sha256, ${body?.bytes ?? null}::bytea from stored`;
}

/** Pending work is waited for under its request id too. A final row drops its keys, which may name a person. */
function keysAfter(before: KeptIntent, after: Intent): readonly string[] {
  if (isFinal(after.state)) return [];
  const request = after.requestId === null ? [] : [requestKey(after.requestId)];
  return [...new Set([...before.waiterKeys, ...request])];
}

/** Owed until marked, so a crash between this commit and the signals loses none. */
function insertWakes(moved: {
  readonly id: string;
  readonly askedBy: string | undefined;
  readonly nowMs: number;
}): RawBuilder<unknown> {
  const key = intentKey(moved.id);
  return sql`
    insert into tramita.event_wake (event_key, workflow_id, created_at)
    select distinct ${key}, workflow_id, ${instant(moved.nowMs)} from tramita.waiter
    where ${IS_WRITTEN} and key = ${key} and expires_at > ${instant(moved.nowMs)}
      and workflow_id is distinct from ${moved.askedBy ?? null}
    on conflict (event_key, workflow_id) do update set created_at = excluded.created_at, woken_at = null, tried_at = null
    returning workflow_id`;
}

/** A flow without a row of its own is woken once and asks again; those with a row wait until it is final. */
function deleteWoken(id: string, owner: string): RawBuilder<unknown> {
  return sql`
    delete from tramita.waiter
    where ${IS_WRITTEN} and key = ${intentKey(id)} and intent_id = ${id}::uuid and workflow_id <> ${owner}`;
}

/** Deletes the waiters of a final row, and of the rows that joined it. */
function deleteWaiters(id: string): RawBuilder<unknown> {
  return sql`
    delete from tramita.waiter
    where ${IS_WRITTEN}
      and intent_id = any(array[${id}::uuid] || array(select intent_id from tramita.intent where joined = ${id}::uuid))`;
}
