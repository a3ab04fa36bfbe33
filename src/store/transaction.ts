/**
 * Transactions that begin with their locks. BEGIN, the locks and, where asked, a first look travel in one round trip, so
 * that a charged call pays for as few of them as possible. Read committed: every statement after the locks sees all that
 * was committed before they were granted. Never repeats anything by itself.
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

/** What follows from a look. */
export interface Ending<T> {
  /** Sent in one message with the commit; the transaction ends here either way. */
  readonly write: readonly Writable[];
  /** The result, from the rows of the last statement of `write`. Called after the commit was confirmed. */
  readonly then: (rows: readonly unknown[]) => T;
}

/**
 * A transaction of two round trips: begin, the `locks` and a look; then what `decide` makes of the rows, and the commit.
 * Nothing else happens while the locks are held. `decide` has no effect of its own: it may be asked again.
 */
export async function lookAndWrite<Row, T>(
  db: Database,
  { locks, look }: { readonly locks: RawBuilder<unknown>; readonly look: RawBuilder<Row> },
  decide: (rows: readonly Row[]) => Ending<T>,
): Promise<T> {
  return withConnection(db, async (connection) => {
    const looked = await connection.together([{ text: BEGIN }, compiled(db, locks), compiled(db, look)]);
    const { write, then } = decide(looked.at(-1)?.rows as Row[]);
    const written = await connection.together([...write.map((one) => compiled(db, one)), { text: 'commit' }]);
    return then(written.at(-2)?.rows ?? []);
  });
}

/**
 * A transaction of one round trip, for what was decided beforehand: the `locks` in their order, what is written `beside`, whatever
 * becomes of `write`, then `write`, whose rows it gives.
 * `write` itself sees whether things are as they were taken to be, writes nothing where they are not, and nothing where
 * `SEES_COMMITTED` does not hold: no `begin` says how it reads.
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

/** One statement that comes often, with its kept plan: no statement whose best plan hangs on its values. Its rows. */
export function lookOften<Row>(db: Database, look: RawBuilder<Row>): Promise<readonly Row[]> {
  return lockAndWrite<Row>(db, { locks: [], write: look });
}

/** A transaction of one round trip, all or none; how many rows each statement has touched. */
export async function writeTogether(db: Database, writes: readonly Writable[]): Promise<readonly number[]> {
  const results = await runTogether(db, writes);
  return results.slice(-writes.length).map(({ rowCount }) => rowCount ?? 0);
}

function runTogether(db: Database, writes: readonly Writable[]): Promise<readonly QueryResult[]> {
  return withConnection(db, (connection) => connection.together(writes.map((one) => compiled(db, one))));
}

function compiled(db: Database, one: Writable): Statement {
  const { sql: text, parameters: values } = one.compile(db);
  return { text, values };
}

/**
 * Runs the statements in a transaction of their own, in one round trip, and gives the rows of the last one. Each sees what
 * was committed before it began. All or none: when one fails the rest is not run.
 */
export function inOneMessage<Row>(db: Database, statements: readonly Statement[]): Promise<readonly Row[]> {
  return withConnection(db, async (connection) => {
    const results = await connection.together([{ text: BEGIN }, ...statements, { text: 'commit' }]);
    return results.at(-2)?.rows as Row[];
  });
}

/** Rolls back what `fn` has begun where it fails. One that met a plan that is no longer good runs once more, without kept plans. */
async function withConnection<T>(db: Database, fn: (connection: LentConnection) => Promise<T>): Promise<T> {
  const connection = await lendConnection(db);
  const attempt = async (): Promise<T> => {
    try {
      return await fn(connection);
    } catch (error) {
      // A dead connection has rolled back already, and its own error would hide the first one.
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

/** Takes the advisory lock of each name, in the one order, until the transaction ends. */
export function takeLocks(names: readonly string[]): RawBuilder<unknown> {
  return sql`select pg_advisory_xact_lock(number) from ${numbersOf(names)} as number`;
}

/**
 * Takes those that are free, and never waits: the server would run what follows it in the message even when the client had
 * died meanwhile. `LOCKS_TAKEN` says to those statements whether all were free.
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
 * text must hold nothing from outside but checked numbers and UUIDs. `fn` gets the rows of the last one.
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
