/** Events that arrive together are stored together, and none delays another or makes it fail. */
import { createHash, randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Client } from 'pg';
import { createInbox, type IncomingEvent } from '../../src/inbox/index.js';
import { lockNumber } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import { until } from '../support/until.js';

const database = withDatabase();
const inbox = () => createInbox({ db: database.db, clock: Date.now });

function eventOf(changes: Partial<IncomingEvent> = {}): IncomingEvent {
  const body = changes.body ?? Buffer.from(randomUUID());
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  return { account: 'default', eventId: randomUUID(), event: 'x', body, bodySha256, keys: [], ...changes };
}

const stored = async (): Promise<readonly string[]> => {
  const rows = await database.db.selectFrom('tramita.event').select('event_id').orderBy('seq').execute();
  return rows.map(({ event_id }) => event_id);
};

afterEach(() => database.db.deleteFrom('tramita.event').execute());

it('a burst of events is stored with far fewer database messages than events', async () => {
  const sent = jest.spyOn(Client.prototype, 'query');
  const events = Array.from({ length: 200 }, () => eventOf({ keys: [`k:${randomUUID()}`] }));
  const { record } = inbox();
  const results = await Promise.all(events.map(record));
  const messages = sent.mock.calls.length;
  sent.mockRestore();
  expect(results.every(({ duplicate }) => !duplicate)).toBe(true);
  expect(messages).toBeLessThan(20);
  expect(new Set(await stored())).toEqual(new Set(events.map(({ eventId }) => eventId)));
});

it('a burst of large bodies is stored in messages of at most 4 MB', async () => {
  const written: number[] = [];
  const write = jest.spyOn(Socket.prototype, 'uncork').mockImplementation(function (this: Socket) {
    written.push(this.writableLength);
    Duplex.prototype.uncork.call(this);
  });
  const events = Array.from({ length: 24 }, () => eventOf({ body: Buffer.alloc(1_000_000, 'x') }));
  const { record } = inbox();
  await Promise.all(events.map(record));
  write.mockRestore();
  expect(Math.max(...written)).toBeGreaterThan(2_000_000);
  expect(Math.max(...written)).toBeLessThan(4.3 * 1_048_576);
  expect(await stored()).toHaveLength(24);
});

it('one event id with different bodies in a burst stores each body once, one of them without conflict', async () => {
  const { record } = inbox();
  const eventId = randomUUID();
  const bodies = ['a', 'b', 'a', 'c', 'b', 'a'];
  const results = await Promise.all(bodies.map((text) => record(eventOf({ eventId, body: Buffer.from(text) }))));
  // Which body is first is not fixed: a transaction that takes longer than 20 ms is overtaken.
  const newBodies = bodies.filter((_, place) => !results[place]?.duplicate);
  expect(newBodies.sort()).toEqual(['a', 'b', 'c']);
  expect(results.filter(({ duplicate, conflict }) => !duplicate && !conflict)).toHaveLength(1);
  expect(results.filter(({ conflict }) => conflict)).toHaveLength(2);
  expect(await stored()).toHaveLength(3);
});

it('an event whose key is locked waits while other events are stored', async () => {
  const key = `k:${randomUUID()}`;
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  try {
    await holder.query('select pg_advisory_lock($1)', [String(lockNumber(key))]);
    const { record } = inbox();
    let isStored = false;
    const waiting = record(eventOf({ keys: [key] })).then(() => (isStored = true));
    const alsoWaiting = record(eventOf({ keys: [key] }));
    const others = Array.from({ length: 20 }, () => eventOf({ keys: [`k:${randomUUID()}`] }));
    await Promise.all(others.map(record));
    expect(isStored).toBe(false);
    await holder.query('select pg_advisory_unlock_all()');
    await Promise.all([waiting, alsoWaiting]);
    expect(await stored()).toHaveLength(22);
  } finally {
    await holder.end();
  }
});

it('an event that cannot be stored fails alone', async () => {
  const { record } = inbox();
  const good = Array.from({ length: 5 }, () => eventOf());
  const results = await Promise.allSettled(
    [...good.slice(0, 3), eventOf({ event: 'a\0b' }), ...good.slice(3)].map(record),
  );
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  await until(async () => (await stored()).length === 5, { what: 'all good ones are stored' });
});
