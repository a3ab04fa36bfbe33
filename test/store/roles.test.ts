/** The narrow role of the bridge: everything that it needs works, and everything else is refused. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Client } from 'pg';
import { postgresUp, soakFolder } from '../../soak/servers.js';
import { createInbox } from '../../src/inbox/index.js';
import { packageRoot } from '../../src/local/index.js';
import { getDatabase } from '../../src/local/stack/get-database.js';
import { BRIDGE_ROLE, CODEC_ROLE, connect, migrate, schemaProblem, type Database } from '../../src/store/index.js';
import { runCommand } from '../cli/run-command.js';
import { withDatabase } from '../support/database.js';
import { NOON_MS, incomingEvent, intentOf, jsonBody, makeLedger, refreshRequest } from './support.js';

const database = withDatabase();
let bridge: Database;

beforeAll(async () => {
  await migrate(database.directUrl, { bridgeUrl: database.bridgeUrl });
  bridge = connect({ url: database.bridgeUrl, applicationName: 'test bridge', max: 3 });
});
afterAll(() => bridge.destroy());

test('the bridge records, finds waiters, takes and marks wakes, drops waiters, and sees the schema version', async () => {
  const { ledger } = makeLedger(database.db);
  const request = refreshRequest();
  await ledger.openIntent(request);
  const clock = { nowMs: NOON_MS };
  const inbox = createInbox({ db: bridge, clock: () => clock.nowMs });
  const event = incomingEvent({ keys: request.waiterKeys, createdAt: 'now', deliveryId: 'd-1' });
  const recorded = await inbox.record(event);
  expect(recorded.wakes.map(({ workflowId }) => workflowId)).toEqual([request.workflowId]);
  expect((await inbox.record(event)).duplicate).toBe(true);
  expect((await inbox.record({ ...event, bodySha256: 'other' })).conflict).toBe(true);
  await inbox.markWoken(recorded.wakes);
  clock.nowMs += 1_000;
  expect(await inbox.takeUnwoken({ limit: 10, olderThanMs: 0 }, (wakes) => Promise.resolve(wakes))).toBe(1);
  await inbox.dropWaiters({ workflowId: request.workflowId, goneAtMs: Date.now() });
  expect(await schemaProblem(bridge)).toBeUndefined();
});

describe('the bridge is refused', () => {
  beforeAll(async () => {
    const { ledger, inbox } = makeLedger(database.db);
    const { intentId } = intentOf(await ledger.openIntent(refreshRequest()));
    await ledger.settle(intentId, { state: 'done', body: jsonBody({ name: 'Maria' }) });
    await inbox.record(incomingEvent());
  });

  test.each([
    'select * from tramita.intent',
    'select * from tramita.answer_body',
    'select * from tramita.settlement_conflict',
    'select * from tramita.public_document',
    'select * from tramita.case_refresh',
    'select value from tramita.fingerprint',
    'select body from tramita.event',
    'select * from tramita.event',
    "update tramita.event set event = 'x'",
    'delete from tramita.event',
    `insert into tramita.waiter values ('w', 'k', '${randomUUID()}', now())`,
    "update tramita.waiter set key = 'x'",
    "update tramita.event_wake set workflow_id = 'x'",
    'delete from tramita.event_wake',
    "insert into tramita.migration (name) values ('x')",
    'delete from tramita.intent',
    'create table tramita.mine (id int)',
    'create schema mine',
  ])('%s', async (statement) => {
    await expect(sql.raw(statement).execute(bridge)).rejects.toMatchObject({ code: '42501' });
  });

  test('on every table except the four that it uses and the ids of the keys', async () => {
    const { rows } = await sql<{ table: string; readable: boolean }>`
      select c.relname as table, has_any_column_privilege(${BRIDGE_ROLE}, c.oid, 'select,insert,update') as readable
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'tramita' and c.relkind = 'r' order by 1`.execute(database.db);
    expect(rows.filter(({ readable }) => readable).map(({ table }) => table)).toEqual([
      'event',
      'event_wake',
      'fingerprint',
      'migration',
      'waiter',
    ]);
    expect(rows.length).toBeGreaterThan(4);
  });
});

/** A server of its own: the password of a role counts for every database of a server. */
it('migrate gives the bridge the password of a file as it is', async () => {
  const folder = soakFolder();
  const postgres = await postgresUp(folder);
  try {
    for (const password of ['per%41cent', '50% off', 'a:b@c/d?e#f']) {
      const file = join(folder, 'password');
      writeFileSync(file, `${password}\n`, { mode: 0o600 });
      const run = await runCommand(['migrate', '--bridge-password-file', file], { TRAMITA_DATABASE_URL: postgres.url });
      expect([password, run.exitCode, run.err]).toEqual([password, 0, '']);
      const { hostname: host, port, pathname } = new URL(postgres.url);
      const client = new Client({ host, port: Number(port), database: pathname.slice(1), user: BRIDGE_ROLE, password });
      await client.connect();
      await client.end();
    }
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

it('the local stack takes an empty address of bridge and codec server for an absent one', async () => {
  const { url, bridgeUrl, codecUrl } = await getDatabase({
    env: {
      TRAMITA_DATABASE_URL: database.directUrl,
      TRAMITA_BRIDGE_DATABASE_URL: '',
      TRAMITA_CODEC_DATABASE_URL: '',
    },
    onProgress: () => undefined,
  } as never);
  expect([bridgeUrl, codecUrl]).toEqual([url, url]);
});

/** A lock that is not released blocks every user of its table. Calls are then held, and go on by themselves. */
describe('what the bridge can lock', () => {
  const lockedBy = async (mode: string): Promise<readonly string[]> => {
    const { rows } = await sql<{ table: string }>`
      select c.relname as table from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'tramita' and c.relkind in ('r', 'p', 'v') order by 1`.execute(database.db);
    expect(rows.length).toBeGreaterThan(30);
    const locked: string[] = [];
    for (const { table } of rows) {
      const lock = sql`lock table ${sql.table(`tramita.${table}`)} in ${sql.raw(mode)} mode`;
      await bridge
        .transaction()
        .execute((trx) => lock.execute(trx))
        .then(
          () => locked.push(table),
          (error: unknown) => expect((error as { code?: string }).code).toBe('42501'),
        );
    }
    return locked;
  };

  test('is only the table of waiters against readers and writers, because it deletes from it', async () => {
    expect(await lockedBy('access exclusive')).toEqual(['waiter']);
    expect(await lockedBy('share')).toEqual(['waiter']);
  });

  // Its own recording takes such locks, and PostgreSQL has no rights on single numbers (docs/data.md).
  test('is any advisory lock, for as long as its session lasts', async () => {
    await expect(sql`select pg_try_advisory_xact_lock(1)`.execute(bridge)).resolves.toBeDefined();
  });
});

/**
 * Roles belong to the server, not to the database: a dump grants to them and does not create them. From PostgreSQL 16 on only
 * their creator, or a role with the admin option, may give them a login. A script stands for the dump, because pg_dump must have
 * the version of the server.
 */
const hasPsql = (): boolean => {
  try {
    return execFileSync('psql', ['--version']).length > 0;
  } catch {
    process.stderr.write('restore: skipped, there is no psql on the path\n');
    return false;
  }
};
(hasPsql() ? test : test.skip)(
  'restore.sh creates the three roles on a new server, and migrate gives them their logins',
  async () => {
    const folder = soakFolder();
    const file = (name: string, text: string, mode = 0o600): string => {
      writeFileSync(join(folder, name), text, { mode });
      return join(folder, name);
    };
    const postgres = await postgresUp(folder);
    try {
      const admin = new Client({ connectionString: postgres.url });
      await admin.connect();
      await admin.query("create role keeper login createrole password 'of-the-keeper'");
      await admin.query('create database kept owner keeper');
      const { user: adminUser, host, port } = admin;
      await admin.end();
      const urlOf = (user: string): string => `postgresql://${user}:of-the-${user}@${host}:${port}/kept`;
      const roles = ['tramita_reader', BRIDGE_ROLE, CODEC_ROLE];
      const dump = file('dump.sql', `create schema tramita; grant usage on schema tramita to ${roles.join(', ')};`);
      file('tramita-1.dump', '');
      file('pg_restore', `#!/bin/sh\nexec psql -q -v ON_ERROR_STOP=1 -f ${dump} ${urlOf('keeper')}\n`, 0o700);
      const restored = execFileSync('sh', [join(packageRoot(), 'deploy', 'compose', 'restore.sh')], {
        encoding: 'utf8',
        env: {
          PATH: `${folder}:${process.env['PATH'] ?? ''}`,
          DATABASE_URL_FILE: file('database_url', urlOf('keeper')),
          ADMIN_PASSWORD_FILE: file('postgres_password', new URL(postgres.url).password),
          ADMIN_USER: adminUser ?? '',
          BACKUP_DIR: folder,
        },
      });
      expect(restored).toContain('restored tramita-1.dump; the database of before is kept_broken_');
      await migrate(urlOf('keeper'), { bridgeUrl: urlOf(BRIDGE_ROLE), codecUrl: urlOf(CODEC_ROLE) });
      for (const role of [BRIDGE_ROLE, CODEC_ROLE]) {
        const client = new Client({ connectionString: urlOf(role) });
        await client.connect();
        await client.end();
      }
    } finally {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
