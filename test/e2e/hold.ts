/** Makes a program stop at one place: a lock of ours that its next statement has to wait for. */
import { sql } from 'kysely';
import { Client } from 'pg';
import type { Database } from '../../src/store/index.js';
import { until } from '../support/until.js';

export interface Hold {
  release(): Promise<void>;
}

/** Runs `statement` in a transaction that stays open until it is released. */
export async function hold(url: string, statement: string, values: readonly unknown[]): Promise<Hold> {
  const client = new Client({ connectionString: url, application_name: 'tramita test hold' });
  await client.connect();
  await client.query('begin');
  await client.query(statement, [...values]);
  return { release: () => client.end() };
}

/** Until a transaction of that program waits for an advisory lock. Lock waits of ours end after 5 s: be quick afterwards. */
export async function untilHeld(db: Database, applicationName: string): Promise<void> {
  await until(
    async () => {
      const { rows } = await sql<{ waiting: number }>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and application_name = ${applicationName} and wait_event = 'advisory'`.execute(
        db,
      );
      return (rows[0]?.waiting ?? 0) > 0 ? true : undefined;
    },
    { everyMs: 20, what: `${applicationName} to wait for an advisory lock` },
  );
}
