/** The narrow role of the bridge, both ways: everything that it needs works, everything else is refused. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createInbox } from '../../src/inbox/index.js';
import { BRIDGE_ROLE, connect, migrate, schemaProblem, type Database } from '../../src/store/index.js';
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
  expect(await inbox.dropExpiredWaiters()).toBe(0);
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

  test('every table that exists, but for the four it works with', async () => {
    const { rows } = await sql<{ table: string; readable: boolean }>`
      select c.relname as table, has_any_column_privilege(${BRIDGE_ROLE}, c.oid, 'select,insert,update') as readable
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'tramita' and c.relkind = 'r' order by 1`.execute(database.db);
    expect(rows.filter(({ readable }) => readable).map(({ table }) => table)).toEqual([
      'event',
      'event_wake',
      'migration',
      'waiter',
    ]);
    expect(rows.length).toBeGreaterThan(4);
  });
});

/** A lock that somebody takes and keeps stops those who need the table: calls are then held, and go on by themselves. */
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

  test('is no table against readers and writers but that of waiters, from which it deletes', async () => {
    expect(await lockedBy('access exclusive')).toEqual(['waiter']);
    expect(await lockedBy('share')).toEqual(['waiter']);
  });

  // Its own recording takes such locks, and PostgreSQL has no rights on single numbers (docs/data.md).
  test('is any advisory lock, for as long as its session lasts', async () => {
    await expect(sql`select pg_try_advisory_xact_lock(1)`.execute(bridge)).resolves.toBeDefined();
  });
});
