/** Events that arrive together are stored together, and none of them pays for another one. */
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

it('a storm takes far fewer messages than it has events, and each is stored', async () => {
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

it('a storm of large bodies goes in messages of at most 4 MB, and every one is stored', async () => {
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

it('one id in a storm, with one body and with others: each body once, one of them under its own key', async () => {
  const { record } = inbox();
  const eventId = randomUUID();
  const bodies = ['a', 'b', 'a', 'c', 'b', 'a'];
  const results = await Promise.all(bodies.map((text) => record(eventOf({ eventId, body: Buffer.from(text) }))));
  // Which body is first is not fixed: a transaction that takes longer than 20 ms is overtaken.
  const kept = bodies.filter((_, place) => !results[place]?.duplicate);
  expect(kept.sort()).toEqual(['a', 'b', 'c']);
  expect(results.filter(({ duplicate, conflict }) => !duplicate && !conflict)).toHaveLength(1);
  expect(results.filter(({ conflict }) => conflict)).toHaveLength(2);
  expect(await stored()).toHaveLength(3);
});

it('an event whose key somebody holds waits alone; its neighbours are stored meanwhile', async () => {
  const key = `k:${randomUUID()}`;
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  try {
    await holder.query('select pg_advisory_lock($1)', [String(lockNumber(key))]);
    const { record } = inbox();
    let isStored = false;
    const held = record(eventOf({ keys: [key] })).then(() => (isStored = true));
    const alsoHeld = record(eventOf({ keys: [key] }));
    const neighbours = Array.from({ length: 20 }, () => eventOf({ keys: [`k:${randomUUID()}`] }));
    await Promise.all(neighbours.map(record));
    expect(isStored).toBe(false);
    await holder.query('select pg_advisory_unlock_all()');
    await Promise.all([held, alsoHeld]);
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
