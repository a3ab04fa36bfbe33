/** The inbox: an event is recorded once, wakes exactly the flows that wait, and no wake and no event is lost. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { keysOfEvent, type InboxEvent, type Wake } from '../../src/inbox/index.js';
import { lockNumber } from '../../src/store/index.js';
import { withDatabase } from '../support/database.js';
import {
  MINUTE_MS,
  countRoundTrips,
  elsewhere,
  incomingEvent,
  intentOf,
  makeLedger,
  randomCase,
  refreshRequest,
} from './support.js';
import { until } from '../support/until.js';

const database = withDatabase();

async function waitingFlow() {
  const made = makeLedger(database.db);
  const request = refreshRequest();
  const { intentId } = intentOf(await made.ledger.openIntent(request));
  return { ...made, request, intentId };
}

test('keysOfEvent builds a key for every request, case and lawyer that an event names', () => {
  const requestIds = [randomUUID() as never];
  expect(keysOfEvent({ cnjs: ['1'.repeat(20)], requestIds, oabs: ['SP:123'] })).toEqual([
    `request:${requestIds[0]}`,
    `cnj:${'1'.repeat(20)}`,
    'oab:SP:123',
  ]);
});

test('lockNumber never changes, so programs of two versions take the same lock', () => {
  // The first eight bytes of the SHA-256 of "a", as a signed number.
  expect(lockNumber('a')).toBe(BigInt.asIntN(64, 0xca978112ca1bbdcan));
});

test('an event wakes exactly the flows that wait under one of its keys, in one round trip', async () => {
  const { inbox, request, clock } = await waitingFlow();
  await waitingFlow();
  const event = incomingEvent({ keys: [...request.waiterKeys, `request:${randomUUID()}`] });
  let recorded;
  const sent = await countRoundTrips(async () => (recorded = await inbox.record(event)));
  expect(sent).toHaveLength(1);
  expect(recorded).toEqual({
    duplicate: false,
    conflict: false,
    wakes: [{ eventKey: `default/${event.eventId}`, workflowId: request.workflowId, owedSinceMs: clock.nowMs }],
  });
});

test('the statement that records events is planned once per connection', async () => {
  const db = database.connect({ url: database.directUrl, max: 1 });
  const { inbox } = makeLedger(db);
  for (let n = 0; n < 8; n += 1) await inbox.record(incomingEvent({ keys: [`cnj:${randomCase()}`] }));
  const { rows } = await sql`
    select generic_plans > 0 as kept, custom_plans::int as planned from pg_prepared_statements
    where statement like '%insert into tramita.event %'`.execute(db);
  expect(rows).toEqual([{ kept: true, planned: 0 }]);
});

test('a repeated event is a duplicate, also when it is recorded in parallel', async () => {
  const { inbox, request } = await waitingFlow();
  const event = incomingEvent({ keys: request.waiterKeys });
  const all = await Promise.all(Array.from({ length: 12 }, () => inbox.record(event)));
  expect(all.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  expect(all.flatMap(({ wakes }) => wakes)).toHaveLength(1);
  expect(await inbox.record(event)).toEqual({ duplicate: true, conflict: false, wakes: [] });
});

test('an event with a known id and another body is recorded as a conflict and wakes the flow', async () => {
  const { inbox, request } = await waitingFlow();
  const event = incomingEvent({ keys: request.waiterKeys });
  await inbox.record(event);
  const forged = incomingEvent({ ...event, body: Buffer.from('{"other":1}') });
  const other = { ...forged, bodySha256: 'f'.repeat(64) };
  expect(await inbox.record(other)).toMatchObject({
    duplicate: false,
    conflict: true,
    wakes: [{ eventKey: `default/${event.eventId}#${other.bodySha256}`, workflowId: request.workflowId }],
  });
  expect((await inbox.record(other)).duplicate).toBe(true);
  expect((await inbox.record(event)).duplicate).toBe(true);
});

test('the same event id in two accounts is two events', async () => {
  const { inbox } = await waitingFlow();
  const event = incomingEvent();
  expect((await inbox.record(event)).duplicate).toBe(false);
  expect((await inbox.record({ ...event, account: 'other' })).duplicate).toBe(false);
});

test('an event without a waiter, or with an expired waiter, writes no wake', async () => {
  const { inbox, request, clock } = await waitingFlow();
  const lonely = incomingEvent({ keys: [`cnj:${randomCase()}`] });
  expect((await inbox.record(lonely)).wakes).toEqual([]);
  clock.nowMs += 61 * 24 * 60 * MINUTE_MS;
  expect((await inbox.record(incomingEvent({ keys: request.waiterKeys }))).wakes).toEqual([]);
  expect(await inbox.dropExpiredWaiters()).toBeGreaterThanOrEqual(2);
  const owed = await database.db
    .selectFrom('tramita.event_wake')
    .selectAll()
    .where('event_key', '=', `default/${lonely.eventId}`)
    .execute();
  expect(owed).toEqual([]);
});

test('a flow that has ended is not woken', async () => {
  const { inbox, request, clock } = await waitingFlow();
  const event = incomingEvent({ keys: request.waiterKeys });
  await inbox.record(event);
  clock.nowMs += MINUTE_MS;
  await inbox.dropWaiters({ workflowId: request.workflowId, goneAtMs: clock.nowMs });
  expect((await inbox.record(incomingEvent({ keys: request.waiterKeys }))).wakes).toEqual([]);
  clock.nowMs += MINUTE_MS;
  const taken: Wake[] = [];
  await inbox.takeUnwoken({ limit: 1_000, olderThanMs: 0 }, (wakes) => {
    taken.push(...wakes);
    return Promise.resolve([]);
  });
  expect(taken.filter(({ workflowId }) => workflowId === request.workflowId)).toEqual([]);
});

test('dropWaiters keeps waiters that were written since the flow was found to have ended', async () => {
  const { inbox, request, clock } = await waitingFlow();
  await inbox.dropWaiters({ workflowId: request.workflowId, goneAtMs: clock.nowMs });
  const { wakes } = await inbox.record(incomingEvent({ keys: request.waiterKeys }));
  expect(wakes.map(({ workflowId }) => workflowId)).toEqual([request.workflowId]);
});

describe('owed wakes', () => {
  async function owed(count: number) {
    const { ledger, inbox, clock, request } = await waitingFlow();
    const flows = [request, ...Array.from({ length: count - 1 }, () => elsewhere(request))];
    for (const flow of flows.slice(1)) await ledger.openIntent(flow);
    const { wakes } = await inbox.record(incomingEvent({ keys: request.waiterKeys }));
    return { inbox, clock, wakes };
  }

  test('are not taken while they are fresh or after they are marked as woken', async () => {
    const { inbox, clock, wakes } = await owed(1);
    const deliver = jest.fn((taken: readonly Wake[]) => Promise.resolve(taken));
    const mine = () => deliver.mock.calls.flat(2).filter(({ eventKey }) => eventKey === wakes[0]!.eventKey);
    await inbox.takeUnwoken({ limit: 1_000, olderThanMs: 1_000 }, deliver);
    expect(mine()).toEqual([]);
    clock.nowMs += 1_000;
    await inbox.markWoken(wakes);
    await inbox.takeUnwoken({ limit: 1_000, olderThanMs: 1_000 }, deliver);
    expect(mine()).toEqual([]);
  });

  test('are taken by one bridge at a time, and by another one a minute after that bridge died', async () => {
    const { inbox, clock, wakes } = await owed(1);
    clock.nowMs += MINUTE_MS;
    const other = makeLedger(database.connect({ max: 2 }), { clock }).inbox;
    const options = { limit: 1_000, olderThanMs: 0 };
    const seen: (readonly Wake[])[] = [];
    const dead = inbox.takeUnwoken(options, async (first) => {
      seen.push(first);
      await other.takeUnwoken(options, (second) => {
        seen.push(second);
        return Promise.resolve([]);
      });
      throw new Error('bridge died');
    });
    await expect(dead).rejects.toThrow('bridge died');
    expect(seen).toHaveLength(1);
    const owedWakes = wakes.map(
      (wake) => expect.objectContaining({ ...wake, owedSinceMs: expect.any(Number) as number }) as Wake,
    );
    expect(seen[0]).toEqual(expect.arrayContaining(owedWakes));
    clock.nowMs += MINUTE_MS - 1;
    expect(await other.takeUnwoken(options, () => Promise.reject(new Error('still claimed')))).toBe(0);
    clock.nowMs += 1;
    const all = await other.takeUnwoken(options, (again) => {
      expect(again).toEqual(expect.arrayContaining(owedWakes));
      return Promise.resolve(again);
    });
    expect(all).toBeGreaterThanOrEqual(1);
    expect(await inbox.takeUnwoken(options, (left) => Promise.resolve(left))).toBe(0);
  });

  test('that cannot be delivered are retried after the others, and name their event', async () => {
    await database.db.updateTable('tramita.event_wake').set({ woken_at: new Date() }).execute();
    const { inbox, clock, request } = await waitingFlow();
    for (const event of ['one', 'two', 'three']) {
      await inbox.record(incomingEvent({ keys: request.waiterKeys, event }));
    }
    const rounds: unknown[] = [];
    for (let round = 0; round < 4; round += 1) {
      clock.nowMs += MINUTE_MS;
      await inbox.takeUnwoken({ limit: 1, olderThanMs: 0 }, (taken) => {
        rounds.push(...taken.map(({ event }) => event));
        return Promise.resolve([]);
      });
    }
    expect(new Set(rounds.slice(0, 3))).toEqual(new Set(['one', 'two', 'three']));
    expect(rounds[3]).toBe(rounds[0]);
  });
});

test('a reader with a cursor misses no event that is recorded meanwhile', async () => {
  const { inbox } = await waitingFlow();
  const [last] = (await inbox.listEvents({ limit: 1_000 })).slice(-1);
  let cursor = last?.seq ?? 0;
  const events = Array.from({ length: 60 }, () => incomingEvent({ keys: [`cnj:${randomCase()}`] }));
  const recording = Promise.all(events.map((event) => inbox.record(event)));
  const read: InboxEvent[] = [];
  const readOn = async (): Promise<boolean> => {
    const page = await inbox.listEvents({ after: cursor, limit: 7 });
    read.push(...page);
    cursor = page.at(-1)?.seq ?? cursor;
    return read.length >= events.length;
  };
  await until(readOn);
  await recording;
  await readOn();
  expect(read.map(({ eventId }) => eventId).sort()).toEqual(events.map(({ eventId }) => eventId).sort());
  expect(read[0]?.body).toBeInstanceOf(Uint8Array);
});
