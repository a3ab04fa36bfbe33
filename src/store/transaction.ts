/**
 * Transactions that begin with their locks. BEGIN, the locks and, if wanted, a first look are sent in one round trip, so that
 * a charged call needs as few of them as possible. Read committed: every statement after the locks sees all that was committed
 * before they were granted. Nothing is repeated, except once without kept plans after the server has refused one.
 */
import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import type { QueryResult } from 'pg';
import { lendConnection, type Database, type LentConnection } from './connect.js';
import { isStalePlan } from './kept-plans.js';
import { lockNumbers } from './lock-number.js';
import type { Statement } from './message.js';

const BEGIN = 'begin isolation level read committed';

/**
 * Runs `fn` in a transaction that holds the advisory lock of each name until its end. Locks are taken in one order, so
 * two callers with the same names in different order cannot block each other forever.
 */
export function withLocks<T>(db: Database, names: readonly string[], fn: (trx: Database) => Promise<T>): Promise<T> {
  const locks = lockNumbers(names).map((lock) => `select pg_advisory_xact_lock(${lock})`);
  return withOpening(db, locks, (trx) => fn(trx));
}

/** A statement of Kysely, raw or built. */
export interface Writable {
  compile(db: Database): CompiledQuery;
}

/** What to write after a look, and what to return. */
export interface Ending<T> {
  /** Sent in one message with the commit; the transaction ends here either way. */
  readonly write: readonly Writable[];
  /** The result, from the rows of the last statement of `write`. Called after the commit was confirmed. */
  readonly then: (rows: readonly unknown[]) => T;
}

/**
 * A transaction of two round trips: first begin, the `locks` and a look; then the statements that `decide` returns for the
 * rows, and the commit. Nothing else happens while the locks are held. `decide` must have no side effects: it may run twice.
 */
export async function lookAndWrite<Row, T>(
  db: Database,
  { locks, look }: { readonly locks: RawBuilder<unknown>; readonly look: RawBuilder<Row> },
  decide: (rows: readonly Row[]) => Ending<T>,
): Promise<T> {
  return withConnection(db, async (connection) => {
    const looked = await connection.together([{ text: BEGIN }, compiled(db, locks), compiled(db, look)]);
    const { write, then } = decide(looked.at(-1)?.rows as Row[]);
    const written = await connection.together([
      ...write.map((statement) => compiled(db, statement)),
      { text: 'commit' },
    ]);
    return then(written.at(-2)?.rows ?? []);
  });
}

/**
 * A transaction of one round trip for a decision that is already made. Takes the `locks` in their order, runs the statements
 * `beside` in any case, then `write`, and returns its rows. `write` must check its own assumptions and write nothing if one of
 * them is wrong, or if `SEES_COMMITTED` does not hold: there is no `begin` that sets the isolation level.
 */
export async function lockAndWrite<Row>(
  db: Database,
  order: {
    readonly locks: readonly RawBuilder<unknown>[];
    readonly beside?: readonly Writable[];
    readonly write: Writable;
  },
): Promise<readonly Row[]> {
  const { locks, beside = [], write } = order;
  const results = await runTogether(db, [...locks, ...beside, write]);
  return (results.at(-1)?.rows ?? []) as Row[];
}

/** Runs a frequent statement with a kept plan and returns its rows. Its best plan must not depend on its values. */
export function lookOften<Row>(db: Database, look: RawBuilder<Row>): Promise<readonly Row[]> {
  return lockAndWrite<Row>(db, { locks: [], write: look });
}

/** A transaction of one round trip, all or nothing. Returns how many rows each statement has changed. */
export async function writeTogether(db: Database, writes: readonly Writable[]): Promise<readonly number[]> {
  const results = await runTogether(db, writes);
  return results.slice(-writes.length).map(({ rowCount }) => rowCount ?? 0);
}

function runTogether(db: Database, writes: readonly Writable[]): Promise<readonly QueryResult[]> {
  return withConnection(db, (connection) => connection.together(writes.map((write) => compiled(db, write))));
}

function compiled(db: Database, statement: Writable): Statement {
  const { sql: text, parameters: values } = statement.compile(db);
  return { text, values };
}

/**
 * Runs the statements in a transaction of their own, in one round trip, and returns the rows of the last one. Each sees what
 * was committed before it began. All or nothing: after one that fails the rest is not run.
 */
export function inOneMessage<Row>(db: Database, statements: readonly Statement[]): Promise<readonly Row[]> {
  return withConnection(db, async (connection) => {
    const results = await connection.together([{ text: BEGIN }, ...statements, { text: 'commit' }]);
    return results.at(-2)?.rows as Row[];
  });
}

/** Rolls back if `fn` fails. If the server has refused a kept plan, `fn` runs once more, without kept plans. */
async function withConnection<T>(db: Database, fn: (connection: LentConnection) => Promise<T>): Promise<T> {
  const connection = await lendConnection(db);
  const attempt = async (): Promise<T> => {
    try {
      return await fn(connection);
    } catch (error) {
      // A dead connection has rolled back already; its error would hide the first one.
      await connection.query('rollback', []).catch(() => undefined);
      throw error;
    }
  };
  try {
    return await attempt().catch((error: unknown) => {
      if (isStalePlan(error)) return attempt();
      throw error;
    });
  } finally {
    connection.release();
  }
}

/** Takes the advisory lock of each name until the transaction ends, in the order that all callers share. */
export function takeLocks(names: readonly string[]): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock(number) from ${numbersOf(names)} as number`;
}

/**
 * Takes the locks that are free and never waits: after a wait, the server would run the rest of the message even if the client
 * had died meanwhile. The statements after it check with `LOCKS_TAKEN` whether all were free.
 */
export function tryLocks(names: readonly string[]): RawBuilder<unknown> {
  return sql`select set_config('tramita.locks_taken', bool_and(pg_try_advisory_xact_lock(number))::text, true) from ${numbersOf(names)} as number`;
}

export const LOCKS_TAKEN = sql<boolean>`current_setting('tramita.locks_taken', true) = 'true'`;

function numbersOf(names: readonly string[]): RawBuilder<unknown> {
  return sql`unnest(${`{${lockNumbers(names).join(',')}}`}::bigint[])`;
}

/**
 * Runs `fn` in a transaction whose BEGIN is sent together with `opening`: plain statements without parameters, whose
 * text must contain no outside values except checked numbers and UUIDs. `fn` gets the rows of the last one.
 */
export function withOpening<T>(
  db: Database,
  opening: readonly string[],
  fn: (trx: Database, rows: readonly unknown[]) => Promise<T>,
): Promise<T> {
  return db.connection().execute(async (trx) => {
    const begin = [BEGIN, ...opening].join('; ');
    try {
      const { rows } = await sql.raw(begin).execute(trx);
      const result = await fn(trx, rows);
      await sql`commit`.execute(trx);
      return result;
    } catch (error) {
      // A dead connection has rolled back already, and its own error would hide the first one.
      await sql`rollback`.execute(trx).catch(() => undefined);
      throw error;
    }
  });
}
