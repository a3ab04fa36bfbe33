/**
 * Each event once: one transaction writes the result of an event and the cursor that has passed it, so a crash in between
 * repeats both or neither. Any number of consumers may run; the row lock on the cursor lets one at a time through.
 */
import { Pool } from 'pg';

const MOST = 100;

/** Connections may be lost at any time: the statement in progress fails, and the next page uses a new connection. */
export function openPool(connectionString: string): Pool {
  const pool = new Pool({ connectionString });
  const report = (error: Error): void => console.error(`connection lost: ${error.message}`);
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));
  return pool;
}

/** Tables of the backend, beside tramita's, in a schema of its own. */
export async function prepare(pool: Pool): Promise<void> {
  await pool.query(`
    create schema if not exists backend;
    create table if not exists backend.cursor (name text primary key, seq bigint not null);
    create table if not exists backend.news (seq bigint primary key, event text not null, about text[] not null, received_at timestamptz not null);
    insert into backend.cursor values ('news', 0) on conflict do nothing;`);
}

/** Processes one page and returns the number of its events. */
export async function takePage(pool: Pool): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows: cursors } = await client.query<{ seq: string }>(
      `select seq from backend.cursor where name = 'news' for update`,
    );
    // never the view event_feed: only this function is sure to skip no event
    const { rows } = await client.query<{ seq: string }>(
      `with page as (select * from tramita.read_events($1, $2)),
            kept as (
              insert into backend.news (seq, event, about, received_at)
              select seq, coalesce(event, 'unknown'), keys, received_at from page)
       select seq from page order by seq desc`,
      [cursors[0]?.seq ?? 0, MOST],
    );
    const [last] = rows;
    if (last !== undefined) await client.query(`update backend.cursor set seq = $1 where name = 'news'`, [last.seq]);
    await client.query('commit');
    return rows.length;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
