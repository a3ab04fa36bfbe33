/** A database of the release before, with rows in every table that grows, migrated while its programs write to it. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { Client } from 'pg';
import { createInbox } from '../../src/inbox/index.js';
import { archiveIntents, checkLedger } from '../../src/ledger/index.js';
import { makeMonths, migrate } from '../../src/store/index.js';
import { MIGRATIONS } from '../../src/store/migrations/index.js';
import { withDatabase } from '../support/database.js';
import { fillLedger } from '../support/fill-ledger.js';
import { makeLedger, setClock } from './support.js';

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();
const FIRST = '0024-bodies-by-month';
const database = withDatabase({ migrated: false });
/** Ignores that the server ends the connection together with the database. */
const quietly = (client: Client): Client => client.on('error', () => undefined);

/** As `migrate` of that release did it. */
async function migrateBefore(client: Client): Promise<void> {
  await client.query(
    'create schema tramita; create table tramita.migration (name text primary key, applied_at timestamptz default now())',
  );
  for (const { name, sql: text, after = [] } of MIGRATIONS) {
    if (name >= FIRST) return;
    await client.query(text);
    for (const statement of after) await client.query(statement);
    await client.query('insert into tramita.migration (name) values ($1)', [name]);
  }
}

/** What a program of that release sends when an event comes, and when an answer does. */
async function writeAsBefore(client: Client, eventId: string): Promise<void> {
  await client.query(
    `insert into tramita.event (account, event_key, event_id, event, body, body_sha256, conflict, keys, received_at)
      values ('default', $1, $1, 'x', '\\x7b7d', $1, false, '{}', now()) on conflict (account, event_key) do nothing`,
    [eventId],
  );
  await client.query(
    `insert into tramita.answer_body (sha256, bytes, content_type, stored_at) values ($1, '\\x7b7d', null, now())
      on conflict (sha256) do nothing`,
    [eventId],
  );
}

let client: Client;
beforeAll(async () => {
  client = quietly(new Client({ connectionString: database.url }));
  await client.connect();
  await migrateBefore(client);
  const filling = database.connect({ max: 1, statementTimeoutMs: 120_000 });
  await fillLedger(filling, { intents: 6_000, waiters: 200, events: 2_000, today: 200, round: 50, nowMs: NOW_MS });
}, 240_000);
afterAll(() => client.end());

test('the migration waits for a transaction that holds the ledger, and does not block other calls for long', async () => {
  await client.query("begin; update tramita.intent set reason = 'held' where seq = 1");
  const migrating = migrate(database.url);
  const other = database.connect({ max: 1, statementTimeoutMs: 8_000 });
  for (let call = 0; call < 10; call += 1) {
    // Each call would fail if it queued behind the migration for as long as the migration waits.
    await sql`update tramita.intent set reason = 'beside' where seq = ${call + 2}`.execute(other);
    await sql`select pg_sleep(0.1)`.execute(other);
  }
  await client.query('commit');
  expect(await migrating).toEqual(MIGRATIONS.map(({ name }) => name).filter((name) => name >= FIRST));
  const old = randomUUID();
  await writeAsBefore(client, old);
  await writeAsBefore(client, old);
});

test('migrated rows are readable, and so are rows that the old release writes afterwards', async () => {
  const { ledger, inbox } = makeLedger(database.db, { clock: setClock(NOW_MS) });
  const { rows } = await sql<{ readonly events: number; readonly bodies: number }>`
    select count(*)::int as events, count(body)::int as bodies from tramita.event_feed`.execute(database.db);
  expect(rows[0]).toEqual({ events: 2_001, bodies: 2_001 });
  const { events } = await inbox.readFeed({ limit: 1, newest: true });
  expect(events[0]?.body?.toString()).toBe('{}');
  const [done] = await ledger
    .list({ account: 'default', state: 'done', limit: 1_000 })
    .then((all) => all.filter(({ bodySha256 }) => bodySha256 !== null));
  expect((await ledger.answerBytes(done?.intentId ?? ''))?.bytes.length).toBeGreaterThan(0);
  const request = { accounts: ['default', 'busy', 'other'], nowMs: NOW_MS, sinceMs: NOW_MS, openAtMostMs: DAY_MS };
  for (const check of await checkLedger(database.db, request)) {
    expect(check).toMatchObject({ wrongSums: [], lostBodies: [], lostOriginals: [], conflicts: [] });
  }
});

test('old rows move to the archive with correct sums, and retention drops old bodies', async () => {
  const moved = await archiveIntents(database.db, { beforeMs: NOW_MS - 400 * DAY_MS, nowMs: NOW_MS });
  expect(moved).toBeGreaterThan(2_000);
  const { rows } = await sql<{ readonly rows: number; readonly months: number; readonly left: number }>`
    select count(*)::int as rows, count(distinct tableoid)::int as months,
      (select count(*)::int from tramita.intent where once is null and settled_at < ${new Date(NOW_MS - 400 * DAY_MS)}
        and state in ('done', 'rejected')) as left
    from tramita.intent_archive`.execute(database.db);
  // One row with the highest price of each operation stays.
  expect(rows[0]).toEqual({ rows: moved, months: expect.any(Number) as number, left: 2 });
  expect(rows[0]?.months).toBeGreaterThan(20);
  const request = { accounts: ['default', 'other'], nowMs: NOW_MS, sinceMs: NOW_MS, openAtMostMs: DAY_MS };
  for (const check of await checkLedger(database.db, request)) {
    expect(check).toMatchObject({ wrongSums: [], lostBodies: [], lostOriginals: [] });
  }
  const inbox = createInbox({ db: database.db, clock: () => NOW_MS });
  expect((await inbox.forgetOld({ eventBodiesMs: 400 * DAY_MS })).bodies).toBeGreaterThan(1_000);
  await makeMonths(database.db);
});
