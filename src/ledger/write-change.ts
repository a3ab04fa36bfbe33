/**
 * Writes what a row has become, in one statement: the answer's body, the row, the rows that joined it, its waiters, and
 * the wakes that are owed for it. Also tells whether an event about this work is in the inbox already.
 */
import { sql, type Compilable, type RawBuilder } from 'kysely';
import { eventExists, insertWaiters, intentKey, requestKey } from '../inbox/index.js';
import { SEES_COMMITTED, clause, instant, type Database } from '../store/index.js';
import { factsOf, pick, type Intent } from './intent.js';
import { VERSION, buildColumns, buildKeys, type KeptIntent } from './intent-row.js';
import { isFinal } from './states.js';

export interface StoredBody {
  readonly sha256: string;
  readonly bytes: Buffer;
  readonly contentType: string | null;
}

export interface IntentChange {
  readonly before: KeptIntent;
  /** Of `before`, which was not read under its locks: nothing is written where the row is another one by now. */
  readonly version?: string;
  readonly after: Intent;
  readonly body?: StoredBody;
  /** The answer told a balance: it is the newest one of the account. */
  readonly balanceTold?: boolean;
  /** What the result tells about the account: noted in the same statement, `when` the row is written. */
  readonly hold?: (when: RawBuilder<unknown>) => RawBuilder<Record<string, unknown>>;
  /** This workflow knows already. */
  readonly askedBy?: string;
  readonly nowMs: number;
}

export interface Written {
  readonly eventSeen: boolean;
  readonly wake: readonly string[];
}

/** The row of this change was written. */
const IS_WRITTEN = sql<boolean>`exists (select from changed)`;

/** Its one row is a {@link Written}; none where the row is no longer the one that it was. */
export function buildChange(db: Database, change: IntentChange): Compilable<Written> {
  const { before, after, nowMs } = change;
  const id = after.intentId;
  const moved = before.intent.state !== after.state;
  const keys = keysAfter(before, after);
  const newKeys = keys.filter((key) => !before.waiterKeys.includes(key));
  const facts = buildColumns(factsOf(after));
  const { version } = change;
  const isSame =
    version === undefined ? sql<boolean>`true` : sql<boolean>`${VERSION} = ${version} and ${SEES_COMMITTED}`;
  return db
    .with('changed', (qc) =>
      qc
        .updateTable('tramita.intent')
        .set({
          ...facts,
          ...buildColumns(pick(after, ['reserved', 'charged', 'amountSource', 'balanceAfter', 'serviceOpenedAtMs'])),
          ...(change.balanceTold === true ? { balance_at: new Date(nowMs) } : {}),
          ...buildKeys(after, keys),
        })
        .where('intent_id', '=', id)
        .where(isSame)
        .returning('intent_id'),
    )
    .with('stored', () => clause(insertBody(change.body, nowMs, IS_WRITTEN)))
    .with('bytes', () => clause(insertBytes(change.body)))
    .with('copied', (qc) =>
      qc
        .updateTable('tramita.intent')
        .set({ ...facts, ...(isFinal(after.state) ? { waiter_keys: [], locks: sql<string>`locks[1:1]` } : {}) })
        .where('joined', '=', id)
        .where('state', '=', before.intent.state)
        .where(IS_WRITTEN)
        .returning('intent_id'),
    )
    .with('waiting', () =>
      clause(insertWaiters({ workflowId: after.workflowId, intentId: id, keys: newKeys, nowMs, when: IS_WRITTEN })),
    )
    .with('woken', () => clause(insertWakes({ id, moved, askedBy: change.askedBy, nowMs })))
    .with('dropped', () => clause(deleteWoken({ id, moved }, after.workflowId)))
    .with('ended', () => clause(deleteWaiters({ id, moved }, isFinal(after.state))))
    .with('held', () => clause(change.hold?.(IS_WRITTEN) ?? sql<Record<string, unknown>>`select 1 where false`))
    .selectFrom('changed')
    .select([
      eventExists(sql`${[...before.waiterKeys, ...newKeys]}::text[]`, instant(after.openedAtMs)).as('eventSeen'),
      sql<string[]>`coalesce((select array_agg(workflow_id order by workflow_id) from woken), '{}')`.as('wake'),
    ]);
}

/** The clause `stored`: an answer is there once, however many calls got it. */
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

/** Beside it: the bytes of the answer that `stored` has taken in. */
export function insertBytes(body: StoredBody | undefined): RawBuilder<Record<string, unknown>> {
  return sql`
    insert into tramita.answer_bytes (stored_at, sha256, bytes)
    select stored_at, sha256, ${body?.bytes ?? null}::bytea from stored`;
}

/** Pending work is waited for under its request id too; a final row forgets its keys, which may name a person. */
function keysAfter(before: KeptIntent, after: Intent): readonly string[] {
  if (isFinal(after.state)) return [];
  const request = after.requestId === null ? [] : [requestKey(after.requestId)];
  return [...new Set([...before.waiterKeys, ...request])];
}

interface Move {
  readonly id: string;
  /** The state is another one than before. */
  readonly moved: boolean;
}

/** Owed until marked, so a crash between this commit and the signals loses none. */
function insertWakes(
  move: Move & { readonly askedBy: string | undefined; readonly nowMs: number },
): RawBuilder<{ workflow_id: string }> {
  const key = intentKey(move.id);
  return sql`
    insert into tramita.event_wake (event_key, workflow_id, created_at)
    select distinct ${key}, workflow_id, ${instant(move.nowMs)} from tramita.waiter
    where ${move.moved}::boolean and ${IS_WRITTEN} and key = ${key} and expires_at > ${instant(move.nowMs)}
      and workflow_id is distinct from ${move.askedBy ?? null}
    on conflict (event_key, workflow_id) do update set created_at = excluded.created_at, woken_at = null
    returning workflow_id`;
}

/** A flow without a row of its own is woken once and asks again; those with a row wait until it is final. */
function deleteWoken({ id, moved }: Move, owner: string): RawBuilder<Record<string, unknown>> {
  return sql`
    delete from tramita.waiter
    where ${moved}::boolean and ${IS_WRITTEN} and key = ${intentKey(id)} and intent_id = ${id}::uuid and workflow_id <> ${owner}`;
}

/** The waiters of a final row, and of those that joined it, go with it. */
function deleteWaiters({ id }: Move, final: boolean): RawBuilder<Record<string, unknown>> {
  return sql`
    delete from tramita.waiter
    where ${final}::boolean and ${IS_WRITTEN}
      and intent_id = any(array[${id}::uuid] || array(select intent_id from tramita.intent where joined = ${id}::uuid))`;
}
