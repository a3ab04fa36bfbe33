/**
 * A program leaves nothing behind on a connection. Its time limits apply to each statement and each transaction. The
 * next user of the connection, for example behind a pooler, finds no setting, no lock and no named statement.
 */
import { sql } from 'kysely';
import { Client } from 'pg';
import { lookAndWrite, takeLocks, withLocks, type Database } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { amount, intentOf, makeLedger, refreshRequest } from './support.js';
import { until } from '../support/until.js';

const database = withDatabase();

interface Settings {
  readonly statement: string;
  readonly idle: string;
  readonly commit: string;
}
const read = sql<Settings>`select current_setting('statement_timeout') as statement,
  current_setting('idle_in_transaction_session_timeout') as idle, current_setting('synchronous_commit') as commit`;
const locks = takeLocks(['any']);
const OURS: Settings = { statement: '12345ms', idle: '15s', commit: 'on' };

async function settingsOf(db: Database): Promise<Settings | undefined> {
  const { rows } = await read.execute(db);
  return rows[0];
}

describe('our session settings', () => {
  let db: Database;
  beforeAll(() => {
    const url = new URL(database.directUrl);
    // What an administrator may have set for the role or the database.
    url.searchParams.set('options', '-c synchronous_commit=off -c statement_timeout=77s');
    db = database.connect({ url: url.href, statementTimeoutMs: 12_345, max: 1 });
  });

  test.each<[string, () => Promise<Settings | undefined>]>([
    ['a statement', () => settingsOf(db)],
    ['a transaction that begins with locks', () => withLocks(db, ['any'], settingsOf)],
    ['a transaction of Kysely', () => db.transaction().execute(settingsOf)],
    [
      'the read of lookAndWrite',
      () => lookAndWrite(db, { locks, look: read }, ([found]) => ({ write: [], then: () => found })),
    ],
    [
      'the write of lookAndWrite',
      () =>
        lookAndWrite(db, { locks, look: sql`select 1` }, () => ({
          write: [read],
          then: ([found]) => found as Settings,
        })),
    ],
  ])('apply in %s, and not after it', async (_what, settings) => {
    expect(await settings()).toEqual(OURS);
    expect(await shown(db, 'statement_timeout')).toBe('77s');
    expect(await shown(db, 'idle_in_transaction_session_timeout')).toBe('0');
    expect(await shown(db, 'synchronous_commit')).toBe('off');
  });

  test('apply after a failed statement', async () => {
    await expect(sql`select nonsense`.execute(db)).rejects.toMatchObject({ code: '42703' });
    expect(await settingsOf(db)).toEqual(OURS);
  });
});

const shown = async (db: Database, name: string): Promise<unknown> =>
  Object.values((await sql.raw<Record<string, unknown>>(`show ${name}`).execute(db)).rows[0] ?? {})[0];

test('another client of the pooler finds no settings, statements, locks or channels of ours', async () => {
  const settings = { accounts: { default: { maxSpendPerDay: amount(9e9) } } };
  const { ledger, inbox } = makeLedger(database.connect({ statementTimeoutMs: 12_345, max: 3 }), { settings });
  const strangers = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const client = new Client({ connectionString: database.url });
      await client.connect();
      return client;
    }),
  );
  const seen = new Set<string>();
  const look = async (client: Client): Promise<void> => {
    const { rows } = await client.query<Record<string, unknown>>(`
      select current_setting('statement_timeout') as statement,
        current_setting('idle_in_transaction_session_timeout') as idle,
        (select count(*)::int from pg_prepared_statements) as statements,
        (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks,
        (select count(*)::int from pg_listening_channels()) as channels`);
    seen.add(JSON.stringify(rows[0]));
  };
  for (let round = 0; round < 10; round += 1) {
    await Promise.all([
      ...strangers.map(look),
      (async () => {
        const { intentId } = intentOf(await ledger.openIntent(refreshRequest()));
        await ledger.settle(intentId, { state: 'done', charged: amount(1), httpStatus: 200 });
        await inbox.forgetOld({});
      })(),
    ]);
  }
  await Promise.all(strangers.map((client) => client.end()));
  expect([...seen]).toEqual([JSON.stringify({ statement: '0', idle: '0', statements: 0, locks: 0, channels: 0 })]);
});

test('a pool opens no more connections than its maximum', async () => {
  const applicationName = 'counted';
  const db = database.connect({ url: database.directUrl, applicationName, max: 2 });
  let most = 0;
  const busy = Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(0.1)`.execute(db)));
  let over = false;
  void busy.finally(() => (over = true));
  await until(async () => {
    const { rows } = await sql<{ readonly count: number }>`
      select count(*)::int as count from pg_stat_activity where application_name = ${applicationName}`.execute(
      database.db,
    );
    most = Math.max(most, rows[0]?.count ?? 0);
    return over;
  });
  await busy;
  expect(most).toBe(2);
});
