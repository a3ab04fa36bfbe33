/** Makes a program stop at one place: a lock of ours that its next statement has to wait for. */
import { Client } from 'pg';
import { until } from '../support/until.js';

export interface Hold {
  /** Until somebody waits for the lock. Lock waits of our programs end after 5 s: be quick afterwards. */
  untilAwaited(): Promise<void>;
  release(): Promise<void>;
}

/** Runs `statement` in a transaction that stays open until it is released. */
export async function hold(url: string, statement: string, values: readonly unknown[]): Promise<Hold> {
  const client = new Client({ connectionString: url, application_name: 'tramita test hold' });
  await client.connect();
  await client.query('begin');
  await client.query(statement, [...values]);
  return {
    untilAwaited: async () => {
      const look = 'select pid from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))';
      await until(async () => (await client.query(look)).rows.length > 0, {
        everyMs: 20,
        what: 'somebody to wait for the lock',
      });
    },
    release: () => client.end(),
  };
}
