/** The event feed in SQL and in code: it skips no event, blocks no recorder, and shows no more than it should. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { EVENT_ORDER } from '../../src/inbox/list-events.js';
import { lockNumber, type Database } from '../../src/store/index.js';
import { eventFeedMigration } from '../../src/store/migrations/0005-event-feed.js';
import { withDatabase } from '../support/database.js';
import { incomingEvent, makeLedger, randomCase } from './support.js';
import { until } from '../support/until.js';

const database = withDatabase();

interface FeedRow {
  readonly seq: number;
  readonly event_id: string;
  readonly payload: { readonly id?: string } | null;
}

async function readEvents(db: Database, after: number, most = 1_000): Promise<readonly FeedRow[]> {
  const { rows } = await sql<FeedRow>`
    select seq, event_id, payload from tramita.read_events(${after}, ${most})`.execute(db);
  return rows;
}

const lastSeq = async (): Promise<number> => (await readEvents(database.db, 0)).at(-1)?.seq ?? 0;

test('the migration uses the lock that recorders hold', () => {
  expect(eventFeedMigration.sql).toContain(`pg_advisory_xact_lock(${lockNumber(EVENT_ORDER)})`);
});

describe('tramita.read_events', () => {
  test('waits for a recorder with an uncommitted number, so it never skips that event', async () => {
    const { inbox } = makeLedger(database.db);
    const after = await lastSeq();
    const slow = database.connect({ max: 1 });
    await slow.connection().execute(async (connection) => {
      await sql.raw(`begin; select pg_advisory_xact_lock_shared(${lockNumber(EVENT_ORDER)})`).execute(connection);
      await sql`
        insert into tramita.event (account, event_key, event_id, event, body, body_sha256, conflict, keys, received_at)
        values ('default', 'slow', 'slow', 'x', '{}', 'x', false, '{}', now())`.execute(connection);
      // Its number is higher, but a reader that ignores the lock sees it first.
      const quick = incomingEvent();
      await inbox.record(quick);
      const plain = await sql<FeedRow>`select seq, event_id from tramita.event_feed where seq > ${after}`.execute(
        database.db,
      );
      expect(plain.rows.map(({ event_id }) => event_id)).toEqual([quick.eventId]);

      const inCode = inbox.readFeed({ after, limit: 10 });
      const inSql = readEvents(database.db, after);
      await until(async () => {
        const { rows } = await sql`
          select 1 from pg_locks join pg_database on oid = database
          where datname = current_database() and locktype = 'advisory' and not granted`.execute(database.db);
        return rows.length === 2;
      });
      await sql`commit`.execute(connection);
      expect((await inSql).map(({ event_id }) => event_id)).toEqual(['slow', quick.eventId]);
      expect((await inCode).events.map(({ eventId }) => eventId)).toEqual(['slow', quick.eventId]);
    });
  });

  test('misses no event that is recorded while a consumer reads in pages', async () => {
    const { inbox } = makeLedger(database.db);
    let cursor = await lastSeq();
    const events = Array.from({ length: 60 }, () => incomingEvent({ keys: [`cnj:${randomCase()}`] }));
    const recording = Promise.all(events.map((event) => inbox.record(event)));
    const read: string[] = [];
    await until(async () => {
      const page = await readEvents(database.db, cursor, 7);
      read.push(...page.map(({ event_id }) => event_id));
      cursor = page.at(-1)?.seq ?? cursor;
      return read.length >= events.length;
    });
    await recording;
    expect([...read].sort()).toEqual(events.map(({ eventId }) => eventId).sort());
  });

  test('releases its lock at once, so a consumer with an open transaction blocks no webhook', async () => {
    const { inbox } = makeLedger(database.db);
    const consumer = database.connect({ max: 1 });
    await consumer.connection().execute(async (connection) => {
      await sql`begin`.execute(connection);
      await readEvents(connection, 0, 1);
      expect((await inbox.record(incomingEvent())).duplicate).toBe(false);
      await sql`commit`.execute(connection);
    });
  });

  test('refuses a transaction whose snapshot may be older than its lock', async () => {
    const consumer = database.connect({ max: 1 });
    await consumer.connection().execute(async (connection) => {
      await sql`begin isolation level repeatable read`.execute(connection);
      await expect(readEvents(connection, 0)).rejects.toThrow(
        /^tramita: events are read at isolation level read committed/,
      );
      await sql`rollback`.execute(connection);
    });
  });

  test('gives the body as JSON, or null where it is not valid JSON', async () => {
    const { inbox } = makeLedger(database.db);
    const after = await lastSeq();
    const good = randomUUID();
    for (const text of [`{"id":"${good}"}`, '{"id":', '{"id":"\\u0000"}']) {
      await inbox.record(incomingEvent({ body: Buffer.from(text) }));
    }
    const rows = await readEvents(database.db, after);
    expect(rows.map(({ payload }) => payload)).toEqual([{ id: good }, null, null]);
  });
});

test('the columns of the event feed keep their names, types and order', async () => {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, null) as type from pg_attribute
    where attrelid = 'tramita.event_feed'::regclass and attnum > 0 order by attnum`.execute(database.db);
  expect(rows.map(({ name, type }) => `${name} ${type}`)).toEqual([
    ...['seq bigint', 'account text', 'event_id text', 'event text', 'conflict boolean'],
    ...['received_at timestamp with time zone', 'created_at text', 'keys text[]', 'body_sha256 text'],
    ...['payload jsonb', 'body bytea', 'sealed boolean'],
  ]);
});

describe('the role tramita_reader', () => {
  test('reads the feed and no other table', async () => {
    const { inbox } = makeLedger(database.db);
    await inbox.record(incomingEvent());
    // Behind a pooler the role would stay set for the next user of the connection.
    const reader = database.connect({ max: 1, url: database.directUrl });
    await reader.connection().execute(async (connection) => {
      await sql`set role tramita_reader`.execute(connection);
      expect((await readEvents(connection, 0, 1)).length).toBe(1);
      expect((await sql`select * from tramita.event_feed limit 1`.execute(connection)).rows.length).toBe(1);
      for (const statement of [
        'select * from tramita.event',
        'select * from tramita.intent',
        'select * from tramita.waiter',
        'delete from tramita.event_feed',
        "update tramita.event_feed set event = 'x'",
      ]) {
        await expect(sql.raw(statement).execute(connection)).rejects.toMatchObject({ code: '42501' });
      }
    });
  });

  test('has rights on the feed alone, and the bridge has none on it', async () => {
    const { rows } = await sql<{ name: string; reader: boolean; bridge: boolean }>`
      select relname as name, has_any_column_privilege('tramita_reader', c.oid, 'select,insert,update') as reader,
        has_any_column_privilege('tramita_bridge', c.oid, 'select') as bridge
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = 'tramita' and relkind in ('r', 'v')`.execute(database.db);
    expect(rows.filter(({ reader }) => reader).map(({ name }) => name)).toEqual(['event_feed']);
    expect(rows.find(({ name }) => name === 'event_feed')?.bridge).toBe(false);
  });
});

describe('readFeed', () => {
  test('filters events and moves its cursor past those that do not match', async () => {
    const { inbox } = makeLedger(database.db);
    const after = await lastSeq();
    const wanted = incomingEvent({ event: 'publicacao_judicial_nova', account: 'other' });
    await inbox.record(wanted);
    await inbox.record(incomingEvent());
    const conflict = incomingEvent();
    await inbox.record(conflict);
    await inbox.record({ ...conflict, bodySha256: 'f'.repeat(64) });
    const read = (filter: Parameters<typeof inbox.readFeed>[0]['filter'] = {}) =>
      inbox.readFeed({ after, limit: 10, filter, bodies: false });
    const all = await read();
    expect([all.events.length, all.more, all.cursor]).toEqual([4, false, all.events.at(-1)?.seq]);
    expect(all.events.every(({ body, bodyDropped }) => body === null && !bodyDropped)).toBe(true);
    const filtered = await read({ account: 'other', events: ['publicacao_judicial_nova', 'x'] });
    expect(filtered.events.map(({ eventId }) => eventId)).toEqual([wanted.eventId]);
    expect(filtered.cursor).toBe(all.cursor);
    expect((await read({ conflicts: true })).events).toHaveLength(1);
    expect((await read({ ids: [conflict.eventId] })).events).toHaveLength(2);
    const page = await inbox.readFeed({ after, limit: 3 });
    expect([page.more, page.cursor]).toEqual([true, page.events[2]?.seq]);
    const newest = await inbox.readFeed({ limit: 2, newest: true });
    expect(newest.events.map(({ seq }) => seq)).toEqual(all.events.slice(-2).map(({ seq }) => seq));
  });
});

describe('forgetOld', () => {
  const DAY_MS = 86_400_000;

  test('drops delivered wakes after thirty days and keeps owed ones', async () => {
    const { inbox, clock } = makeLedger(database.db);
    const wake = (name: string) => ({
      eventKey: `default/${name}`,
      workflowId: `flow of ${name}`,
      owedSinceMs: clock.nowMs,
    });
    const at = new Date(clock.nowMs);
    await sql`
      insert into tramita.event_wake (event_key, workflow_id, created_at)
      values ('default/delivered', 'flow of delivered', ${at}), ('default/owed', 'flow of owed', ${at})`.execute(
      database.db,
    );
    await inbox.markWoken([wake('delivered')]);
    const left = async () =>
      (
        await sql<{ key: string }>`
          select event_key as key from tramita.event_wake where event_key in ('default/delivered', 'default/owed')
          order by 1`.execute(database.db)
      ).rows.map(({ key }) => key);
    clock.nowMs += 29 * DAY_MS;
    await inbox.forgetOld({});
    expect(await left()).toEqual(['default/delivered', 'default/owed']);
    clock.nowMs += 2 * DAY_MS;
    expect((await inbox.forgetOld({})).bodies).toBe(0);
    expect(await left()).toEqual(['default/owed']);
  });

  test('drops bodies and keys after the configured time; a duplicate is still recognised, and a replay wakes nobody', async () => {
    const { inbox, clock } = makeLedger(database.db);
    const event = incomingEvent({ keys: [`cnj:${randomCase()}`] });
    await inbox.record(event);
    clock.nowMs += 91 * DAY_MS;
    const young = incomingEvent();
    await inbox.record(young);
    expect((await inbox.forgetOld({ eventBodiesMs: 90 * DAY_MS })).bodies).toBeGreaterThanOrEqual(1);
    const { events } = await inbox.readFeed({ limit: 10, filter: { ids: [event.eventId, young.eventId] } });
    expect(events.map(({ bodyDropped, keys }) => [bodyDropped, keys])).toEqual([
      [true, []],
      [false, []],
    ]);
    expect((await inbox.record(event)).duplicate).toBe(true);
    const replay = await inbox.findReplay({ filter: { ids: [event.eventId] } });
    expect(replay).toEqual({ events: 1, withoutKeys: 1, wakes: [] });
  });
});
