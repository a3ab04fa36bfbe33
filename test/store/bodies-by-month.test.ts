/** Bodies are stored by month: ids stay unique across months, retention drops whole months, and older bodies stay readable. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createInbox } from '../../src/inbox/index.js';
import { instant, makeMonths, makeMonthsOf, withOpening } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { amount, incomingEvent, intentOf, jsonBody, makeLedger, refreshRequest, setClock } from './support.js';

const DAY_MS = 86_400_000;
const JANUARY_MS = Date.parse('2024-01-31T23:59:00Z');
const FEBRUARY_MS = Date.parse('2024-02-01T00:01:00Z');

const database = withDatabase();
beforeAll(() => makeMonthsOf(database.db, 'event_bytes', [JANUARY_MS, FEBRUARY_MS]));

const partitionOf = async (eventId: string): Promise<string | undefined> => {
  const { rows } = await sql<{ readonly partition: string }>`
    select stored.tableoid::regclass::text as partition from tramita.event
    join tramita.event_bytes as stored using (received_at, seq) where event_id = ${eventId}`.execute(database.db);
  return rows[0]?.partition.replace('tramita.', '');
};

test('an event repeated in another month is a duplicate; with another body it is a conflict, and both bodies are read', async () => {
  const clock = setClock(JANUARY_MS);
  const inbox = createInbox({ db: database.db, clock: clock.now });
  const event = incomingEvent();
  await inbox.record(event);
  expect(await partitionOf(event.eventId)).toBe('event_bytes_202401');
  clock.nowMs = FEBRUARY_MS;
  expect((await inbox.record(event)).duplicate).toBe(true);
  const other = { ...incomingEvent(), eventId: event.eventId };
  expect(await inbox.record(other)).toMatchObject({ duplicate: false, conflict: true });
  const { events } = await inbox.readFeed({ limit: 10, filter: { ids: [event.eventId] } });
  expect(events.map(({ body }) => body)).toEqual([event.body, other.body]);
});

test('an event recorded many times at once around the end of a month is stored once', async () => {
  const event = incomingEvent();
  const results = await Promise.all(
    [JANUARY_MS, FEBRUARY_MS, JANUARY_MS, FEBRUARY_MS].map((nowMs) =>
      createInbox({ db: database.db, clock: () => nowMs }).record(event),
    ),
  );
  expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  const { rows } = await sql`select from tramita.event_bytes as stored join tramita.event using (received_at, seq)
    where event_id = ${event.eventId}`.execute(database.db);
  expect(rows).toHaveLength(1);
});

test('retention drops whole months and other bodies in batches, and a duplicate is still recognised', async () => {
  const clock = setClock(JANUARY_MS);
  const inbox = createInbox({ db: database.db, clock: clock.now });
  const [old, middle, young] = [incomingEvent({ keys: ['cnj:1'] }), incomingEvent(), incomingEvent()];
  await inbox.record(old);
  clock.nowMs = FEBRUARY_MS;
  await inbox.record(middle);
  clock.nowMs = FEBRUARY_MS + 20 * DAY_MS;
  await inbox.record(young);
  clock.nowMs += DAY_MS;
  expect(await inbox.forgetOld({ eventBodiesMs: 10 * DAY_MS })).toMatchObject({ months: 1 });
  const { rows } = await sql`select from pg_class where relname = 'event_bytes_202401'`.execute(database.db);
  expect(rows).toEqual([]);
  const { events } = await inbox.readFeed({
    limit: 10,
    filter: { ids: [old.eventId, middle.eventId, young.eventId] },
  });
  expect(events.map(({ bodyDropped, keys }) => ({ bodyDropped, keys }))).toEqual([
    { bodyDropped: true, keys: [] },
    { bodyDropped: true, keys: [] },
    { bodyDropped: false, keys: [] },
  ]);
  expect((await inbox.record(old)).duplicate).toBe(true);
});

test('retention drops no body of an event that still has its keys', async () => {
  const clock = setClock(JANUARY_MS);
  await makeMonthsOf(database.db, 'event_bytes', [JANUARY_MS]);
  const inbox = createInbox({ db: database.db, clock: clock.now });
  const keys = [`cnj:${randomUUID()}`];
  const event = incomingEvent({ keys });
  await inbox.record(event);
  clock.nowMs = FEBRUARY_MS + 20 * DAY_MS;
  const found = async () => await inbox.eventsAbout({ keys, sinceMs: JANUARY_MS, limit: 1 });
  // Its row is locked, so this round leaves its keys.
  await database.holding(sql`select from tramita.event where event_id = ${event.eventId} for update`, () =>
    inbox.forgetOld({ eventBodiesMs: DAY_MS }),
  );
  expect((await found()).map(({ body }) => body)).toEqual([event.body]);
  expect(await inbox.forgetOld({ eventBodiesMs: DAY_MS })).toMatchObject({ months: 1 });
  expect(await found()).toEqual([]);
});

test('a month that somebody reads is emptied row by row, and dropped later', async () => {
  const clock = setClock(JANUARY_MS);
  await makeMonthsOf(database.db, 'event_bytes', [JANUARY_MS]);
  const inbox = createInbox({ db: database.db, clock: clock.now });
  const event = incomingEvent();
  await inbox.record(event);
  clock.nowMs = FEBRUARY_MS + 20 * DAY_MS;
  const forget = () => inbox.forgetOld({ eventBodiesMs: DAY_MS });
  expect(await database.holding(sql`select count(*) from tramita.event_bytes`, forget)).toMatchObject({ months: 0 });
  const { events } = await inbox.readFeed({ limit: 1, filter: { ids: [event.eventId] } });
  expect(events.map(({ bodyDropped }) => bodyDropped)).toEqual([true]);
  expect(await forget()).toMatchObject({ months: 1 });
});

test('dropping months ignores tables of other names under any query plan', async () => {
  // The server names tables of its own by a number, for example pg_toast_137716.
  await sql`create table tramita.other_137716 ()`.execute(database.db);
  const before = instant(FEBRUARY_MS);
  for (const drop of ['drop_empty_months', 'drop_months']) {
    await makeMonthsOf(database.db, 'answer_bytes', [JANUARY_MS]);
    const dropped = await withOpening(database.db, ['set local enable_nestloop = off'], async (trx) => {
      const { rows } = await sql<{ readonly dropped: number }>`
        select ${sql.raw(`tramita.${drop}`)}('answer_bytes', ${before}) as dropped`.execute(trx);
      return rows[0]?.dropped;
    });
    expect(dropped).toBe(1);
  }
});

test('an event of a month without a partition is stored in the default partition and stays there', async () => {
  const strayMs = Date.parse('2031-05-05T12:00:00Z');
  const inbox = createInbox({ db: database.db, clock: () => strayMs });
  const event = incomingEvent();
  await inbox.record(event);
  expect(await partitionOf(event.eventId)).toBe('event_bytes_default');
  await makeMonthsOf(database.db, 'event_bytes', [strayMs]);
  await makeMonths(database.db);
  expect(await partitionOf(event.eventId)).toBe('event_bytes_default');
  expect((await inbox.readFeed({ limit: 1, filter: { ids: [event.eventId] } })).events[0]?.body).toEqual(event.body);
});

test('making a month whose rows are already in the default partition does not wait for readers', async () => {
  const strayMs = Date.parse('2032-05-05T12:00:00Z');
  await createInbox({ db: database.db, clock: () => strayMs }).record(incomingEvent());
  await database.db.transaction().execute(async (reader) => {
    await sql`select count(*) from tramita.event_bytes_default`.execute(reader);
    await makeMonthsOf(database.db, 'event_bytes', [strayMs]);
  });
});

test('an answer bought again in a later month is stored once, and an answer of the release before is readable', async () => {
  const clock = setClock();
  const { ledger } = makeLedger(database.db, { clock });
  const body = jsonBody({ same: randomUUID() });
  const buy = async (): Promise<string> => {
    const { intentId } = intentOf(await ledger.openIntent(refreshRequest()));
    await ledger.settle(intentId, { state: 'done', httpStatus: 200, charged: amount(1), body });
    return intentId;
  };
  const first = await buy();
  clock.nowMs += 40 * DAY_MS;
  const second = await buy();
  const answer = await ledger.answerBytes(first);
  expect(answer?.bytes).toEqual(body.bytes);
  expect(await ledger.answerBytes(second)).toMatchObject({ bytes: body.bytes, sha256: answer?.sha256 });
  const copies = () =>
    sql`select from tramita.answer_bytes where sha256 = ${answer?.sha256 ?? ''}`.execute(database.db);
  expect((await copies()).rows).toHaveLength(1);
  // The release before stored the bytes like this.
  await sql`update tramita.answer_body set bytes = ${body.bytes} where sha256 = ${answer?.sha256 ?? ''}`.execute(
    database.db,
  );
  await sql`delete from tramita.answer_bytes where sha256 = ${answer?.sha256 ?? ''}`.execute(database.db);
  expect(await ledger.answerBytes(first)).toEqual(answer);
});
