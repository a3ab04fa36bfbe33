/**
 * Transactions that begin with their locks. BEGIN, the locks and, where asked, a first look travel in one round trip, so
 * that a charged call pays for as few of them as possible. Read committed: every statement after the locks sees all that
 * was committed before they were granted. Never repeats anything by itself.
 */
import { CompiledQuery, sql } from 'kysely';
import type { Database } from './connect.js';
import { lockNumbers } from './lock-number.js';
import { OneMessage, type Statement } from './one-message.js';

/**
 * What is confirmed is on the disk, whatever the server's default is; `remote_apply`, `remote_write` and `on` are kept where
 * the server has them.
 */
const DURABLE = `select set_config('synchronous_commit', 'on', true)
  where current_setting('synchronous_commit') in ('off', 'local')`;

/** What every transaction of ours begins with. */
const OPENING = ['begin isolation level read committed', DURABLE] as const;

/**
 * Runs `fn` in a transaction that holds the advisory lock of each name until its end. Locks are taken in one order, so
 * two callers with the same names in different order cannot block each other forever.
 */
export function withLocks<T>(db: Database, names: readonly string[], fn: (trx: Database) => Promise<T>): Promise<T> {
  const locks = lockNumbers(names).map((lock) => `select pg_advisory_xact_lock(${lock})`);
  return withOpening(db, locks, (trx) => fn(trx));
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
    const begin = [...OPENING, ...opening].join('; ');
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

/**
 * Runs the statements in a transaction of their own, in one round trip, and gives the rows of the last one. Each sees what
 * was committed before it began. All or none: when one fails the rest is not run.
 */
export async function inOneMessage<Row>(db: Database, statements: readonly Statement[]): Promise<readonly Row[]> {
  const message = new OneMessage([...OPENING.map((text) => ({ text })), ...statements, { text: 'commit' }]);
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw('', [message]));
  return rows;
}
