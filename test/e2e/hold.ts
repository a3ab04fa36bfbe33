/** Stops a program at one place: the test holds a lock that the program's next statement has to wait for. */
import { Client } from 'pg';
import { until } from '../support/until.js';

export interface Hold {
  /** Resolves once a session waits for the lock. Our programs give up a lock wait after 5 s: act quickly. */
  untilAwaited(): Promise<void>;
  release(): Promise<void>;
}

/** Runs `statement`, which takes the lock, in a transaction that stays open until `release`. */
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
