/** Migrations: complete, repeatable, safe when several processes run them at once. */
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { sql } from 'kysely';
import { Client } from 'pg';
import type { Config } from '../../src/config/index.js';
import {
  awayProblem,
  databaseAddress,
  BRIDGE_ROLE,
  connect,
  isDatabaseAway,
  migrate,
  databaseProblem,
  schemaProblem,
  schemaProblemAtStart,
} from '../../src/store/index.js';
import { MIGRATIONS } from '../../src/store/migrations/index.js';
import { checkInstallation } from '../../src/workers/check-installation.js';
import { createProxy } from '../../soak/wire.js';
import { runCommand } from '../cli/run-command.js';
import { withDatabase } from '../support/database.js';
import { fillLedger } from '../support/fill-ledger.js';

const database = withDatabase({ migrated: false });

test('an empty database is reported as one without a schema, with the command to run', async () => {
  const problem = await schemaProblem(database.db);
  expect(problem).toMatch(/^tramita: .*no tramita schema.*`tramita migrate`/);
});

test.each([
  ['password', (url: URL) => (url.password = 'another'), '28P01'],
  ['database', (url: URL) => (url.pathname = '/nowhere'), '3D000'],
])('a wrong %s is reported by the name of its variable, never by its value', async (_what, change, code) => {
  const url = new URL(database.directUrl);
  change(url);
  const db = connect({ url: url.href, applicationName: 'test', max: 1 });
  const warn = jest.fn();
  try {
    const problem = await schemaProblemAtStart(db, { warn }, 'TRAMITA_BRIDGE_DATABASE_URL');
    expect(problem).toMatch(
      new RegExp(`^tramita: TRAMITA_BRIDGE_DATABASE_URL is refused by the database \\(${code}\\)`),
    );
    expect(problem).not.toMatch(/another|nowhere/);
    expect(await schemaProblem(db)).toContain('tramita: TRAMITA_DATABASE_URL is refused');
    expect(warn).not.toHaveBeenCalled();
  } finally {
    await db.destroy();
  }
});

test('processes that migrate at once apply every migration exactly once', async () => {
  const runs = await Promise.all([1, 2, 3, 4].map(() => migrate(database.directUrl)));
  const applied = runs.flat();
  expect(applied).toEqual([...new Set(applied)]);
  expect(applied).toHaveLength(MIGRATIONS.length);
  expect(runs.filter((run) => run.length > 0)).toHaveLength(1);
  expect(await schemaProblem(database.db)).toBeUndefined();
});

test('a role that lacks a right is reported with what it may not read', async () => {
  const name = `reader_${randomBytes(4).toString('hex')}`;
  await sql`create role ${sql.id(name)} login password 'reader'`.execute(database.db);
  const url = new URL(database.directUrl);
  url.username = name;
  url.password = 'reader';
  const db = connect({ url: url.href, applicationName: 'test', max: 1 });
  try {
    const text = (what: string): string =>
      `tramita: TRAMITA_DATABASE_URL is refused by the database (42501: permission denied for ${what}): correct its user, who lacks a right`;
    expect(await schemaProblem(db)).toBe(text('schema tramita'));
    await sql`grant usage on schema tramita to ${sql.id(name)}`.execute(database.db);
    await sql`grant select on all tables in schema tramita to ${sql.id(name)}`.execute(database.db);
    expect(await schemaProblem(db)).toBeUndefined();
    const settings = {
      filesDir: tmpdir(),
      taskQueue: 'none',
      unsafeDatabase: true,
      accounts: {},
      idKey: 'k'.repeat(32),
    };
    const config = settings as unknown as Config;
    const log = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
    const installation = { config, temporal: {} as never, db, connection: {} as never, log };
    await expect(checkInstallation(installation)).rejects.toThrow(text('table fingerprint'));
  } finally {
    await db.destroy();
    await sql`drop owned by ${sql.id(name)}`.execute(database.db);
    await sql`drop role ${sql.id(name)}`.execute(database.db);
  }
});

test('migrating again changes nothing', async () => {
  expect(await migrate(database.directUrl)).toEqual([]);
});

test('tables whose rows change soon are cleaned before millions of rows are dead', async () => {
  const { rows } = await sql<{ readonly name: string }>`
    select relname as name from pg_class where relnamespace = 'tramita'::regnamespace and reloptions @> array[
      'autovacuum_vacuum_scale_factor=0.02', 'autovacuum_analyze_scale_factor=0.02'] order by relname`.execute(
    database.db,
  );
  expect(rows.map(({ name }) => name)).toEqual(['event_wake', 'intent', 'portfolio_item']);
});

test('a migration whose lock is taken by a reader or a writer does not wait: it only sets how a table is cleaned', async () => {
  await database.db.deleteFrom('tramita.migration').where('name', 'like', '0047-%').execute();
  const write = sql`update tramita.intent set reason = reason`;
  expect(await database.holding(write, () => migrate(database.directUrl))).toEqual(['0047-vacuum-sooner']);
});

test('a missing migration is named, and migrating applies it', async () => {
  await database.db.deleteFrom('tramita.migration').where('name', '=', '0004-bridge-role').execute();
  expect(await schemaProblem(database.db)).toContain('lacks 0004-bridge-role');
  expect(await migrate(database.directUrl)).toEqual(['0004-bridge-role']);
});

test('an interrupted migration is completed: sums are filled in and a broken index is built again', async () => {
  const sums = { intents: 3_000, waiters: 0, events: 0, today: 200, round: 50, nowMs: Date.now() };
  await fillLedger(database.connect({ max: 1, statementTimeoutMs: 120_000 }), sums);
  const drifts = sql<{ readonly found: number }>`select (select count(*) from tramita.spend_day_drift)
    + (select count(*) from tramita.spend_live_drift) + (select count(*) from tramita.spend_budget_drift) as found`;
  const found = async (): Promise<number> => Number((await drifts.execute(database.db)).rows[0]?.found);
  expect(await found()).toBe(0);
  // The state before the trigger: rows without sums, and an index whose build was killed.
  await sql`truncate tramita.spend_day, tramita.spend_live, tramita.spend_budget`.execute(database.db);
  expect(await found()).toBeGreaterThan(10);
  await sql`update pg_index set indisvalid = false where indexrelid = 'tramita.intent_about'::regclass`.execute(
    database.db,
  );
  await database.db.deleteFrom('tramita.migration').where('name', '=', '0023-flat-cost').execute();
  expect(await migrate(database.directUrl)).toEqual(['0023-flat-cost']);
  expect(await found()).toBe(0);
  const { rows } =
    await sql`select from pg_index where indexrelid = 'tramita.intent_about'::regclass and indisvalid`.execute(
      database.db,
    );
  expect(rows).toHaveLength(1);
});

test('a schema that is newer than the program is accepted', async () => {
  await database.db.insertInto('tramita.migration').values({ name: '9999-later' }).execute();
  expect(await schemaProblem(database.db)).toBeUndefined();
});

test('the role of the bridge can log in with the password of its URL, and with no other', async () => {
  await migrate(database.directUrl, { bridgeUrl: database.bridgeUrl });
  const client = new Client({ connectionString: database.bridgeUrl });
  await client.connect();
  const { rows } = await client.query<{ current_user: string }>('select current_user');
  await client.end();
  expect(rows).toEqual([{ current_user: BRIDGE_ROLE }]);
  const wrong = new URL(database.bridgeUrl);
  wrong.host = new URL(database.directUrl).host;
  wrong.password = 'another';
  const stranger = new Client({ connectionString: wrong.href });
  await expect(stranger.connect()).rejects.toMatchObject({ code: '28P01' });
});

test('a database that is away is reported quickly, and not as one without a schema', async () => {
  const startedAt = performance.now();
  const url = 'postgres://postgres@127.0.0.1:1/none';
  const nowhere = connect({ url, applicationName: 'test', connectTimeoutMs: 60_000 });
  await expect(schemaProblem(nowhere)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  await nowhere.destroy();
  expect(performance.now() - startedAt).toBeLessThan(15_000);
});

test('a starting program waits for a database that is away', async () => {
  const url = new URL(database.directUrl);
  const wire = await createProxy(url.host);
  wire.lead(undefined);
  const [there, host] = [url.host, wire.address];
  url.host = host;
  const db = connect({ url: url.href, applicationName: 'test' });
  const warn = jest.fn();
  const problem = schemaProblemAtStart(db, { warn });
  await expect(schemaProblem(db)).rejects.toThrow();
  wire.lead(there);
  expect(await problem).toBeUndefined();
  expect(warn.mock.calls).toEqual([
    [
      {},
      expect.stringMatching(
        /^the database of TRAMITA_DATABASE_URL \(127\.0\.0\.1:\d+\) does not answer; .*: waiting for it, a minute at most$/,
      ),
    ],
  ]);
  await db.destroy();
  await wire.close();
});

test.each([
  ['53300', 'sorry, too many clients already', 'has no connection left (53300); wait, or raise max_connections'],
  ['57P03', 'the database system is starting up', 'starts, stops or recovers (57P03); wait for it'],
  ['25006', 'cannot execute INSERT in a read-only transaction', 'is read-only, as a standby is (25006); correct'],
  ['53100', 'could not extend file', 'has no disk left (53100); make room for it'],
  ['ECONNREFUSED', 'connect ECONNREFUSED', 'does not answer; start it, or correct the address'],
])('a database that is away with %s is reported with what is wrong', (code, message, problem) => {
  const error = Object.assign(new Error(message), { code });
  expect(isDatabaseAway(error)).toBe(true);
  expect(awayProblem(error, 'A_URL')).toContain(`the database of A_URL ${problem}`);
});

test.each([
  ['postgresql://u:secret@db.example.com:6432/x', 'db.example.com:6432'],
  ['postgres://u:secret@db.example.com/x?sslmode=require', 'db.example.com:5432'],
  ['postgresql://u:secret@[::1]:6432/x', '[::1]:6432'],
  ['postgresql://u:secret@ignored/x?host=db.example.com&port=7432', 'db.example.com:7432'],
  ['postgresql:///x?host=/run/postgresql', '/run/postgresql:5432'],
  ['postgresql://u:secret@%2Frun%2Fpostgresql/x', '/run/postgresql:5432'],
])('the address of the database is shown without user and password (%s)', (url, address) => {
  expect(databaseAddress(url)).toBe(address);
});

test.each([
  'postgresql://user:12/secret@db.example.com/x',
  'postgresql://user:12?secret@db.example.com/x',
  'postgresql://user:12#secret@db.example.com/x',
  'no URL',
])('the address of the database is not shown if it may hold a part of the password (%s)', (url) => {
  expect(databaseAddress(url)).toBeUndefined();
  expect(awayProblem(new Error('away'), 'A_URL', databaseAddress(url))).toContain('the database of A_URL does');
});

test('a command that finds no free connection says so', async () => {
  const url = new URL(database.directUrl);
  const role = 'tramita_crowded';
  await sql.raw(`create role ${role} login connection limit 0 password 'crowded'`).execute(database.db);
  database.atEnd(() => sql.raw(`drop role ${role}`).execute(database.db));
  url.username = role;
  url.password = 'crowded';
  const { exitCode, err } = await runCommand(['ledger', 'list'], { TRAMITA_DATABASE_URL: url.href });
  expect([exitCode, err.trim()]).toEqual([1, expect.stringContaining('has no connection left (53300)')]);
});

test.each(['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
  'an untrusted certificate of the server (%s) is reported with a remedy',
  (code) => {
    const problem = databaseProblem(Object.assign(new Error('canary'), { code }));
    expect(problem).toMatch(/^tramita: the certificate of the server of TRAMITA_DATABASE_URL is not trusted \(/);
    expect(problem).toContain('NODE_EXTRA_CA_CERTS');
    expect(problem).not.toContain('canary');
  },
);

test('a server that speaks no TLS is reported', async () => {
  const url = new URL(database.directUrl);
  url.searchParams.set('sslmode', 'verify-full');
  const db = connect({ url: url.href, applicationName: 'test', max: 1 });
  expect(await schemaProblem(db)).toBe(
    'tramita: the server of TRAMITA_DATABASE_URL speaks no TLS: correct its sslmode, or its address',
  );
  await db.destroy();
});
