/** The bridge over the real inbox, with the rights of its narrow role only: one delivery, from the socket to the wake. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { createBridge, type Bridge } from '../../src/bridge/index.js';
import { createInbox, cnjKey, insertWaiters, requestKey } from '../../src/inbox/index.js';
import { withDatabase } from '../support/database.js';
import { BRIDGE_OPTIONS, CNJ, deliver } from './support.js';
import { until } from '../support/until.js';

const database = withDatabase();
const EVENT = { id: 'e1', event: 'atualizacao_processo_concluida', data: { numeroCnj: CNJ } };

/** Flows that were sent a wake in this test. */
const signalled: string[] = [];
const note = (workflowId: string): Promise<void> => {
  signalled.push(workflowId);
  return Promise.resolve();
};

async function withRealBridge(
  signal: (workflowId: string) => Promise<void>,
  test: (port: number, bridge: Bridge) => Promise<void>,
): Promise<void> {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c role=tramita_bridge');
  const bridge = await createBridge({
    ...BRIDGE_OPTIONS,
    inbox: createInbox({ db: database.connect({ url: url.href }), clock: Date.now }),
    signalWake: signal,
    relay: { pauseMs: 20, maxPauseMs: 80, olderThanMs: 0 },
  });
  try {
    await test(Number(new URL(bridge.url).port), bridge);
  } finally {
    await bridge.close();
  }
}

const wait = (workflowId: string, nowMs = Date.now(), keys: readonly string[] = [cnjKey(CNJ)]): Promise<unknown> =>
  insertWaiters({ workflowId, intentId: randomUUID(), keys, nowMs }).execute(database.db);

const count = async (statement: string): Promise<number> => {
  const { rows } = await sql.raw<{ count: string }>(`select count(*) from tramita.${statement}`).execute(database.db);
  return Number(rows[0]?.count);
};

afterEach(async () => {
  signalled.splice(0);
  await sql.raw('truncate tramita.event, tramita.event_wake, tramita.waiter').execute(database.db);
});

it('the bridge stores an event, wakes the waiting flow and marks the wake', async () => {
  await wait('refresh/default/1');
  await withRealBridge(note, async (port, bridge) => {
    expect((await deliver(port, EVENT)).body).toEqual({ accepted: true, eventId: 'e1', duplicate: false });
    expect(await count("event where event_id = 'e1'")).toBe(1);
    await until(async () => (await count('event_wake where woken_at is not null')) === 1, {
      what: 'the wake is marked',
    });
    expect(new Set(signalled)).toEqual(new Set(['refresh/default/1']));
    expect((await deliver(port, EVENT)).body).toMatchObject({ duplicate: true });
    expect((await deliver(port, { ...EVENT, data: {} })).body).toMatchObject({ duplicate: false });
    expect(await count('event where conflict')).toBe(1);
    await until(async () => (await fetch(`${bridge.opsUrl}/readyz`)).status === 200, { what: 'the bridge is ready' });
  });
});

it('news wakes no flow; a request id wakes under any event name, and an unknown event name by its case', async () => {
  const requestId = randomUUID();
  await wait('refresh/default/1', Date.now(), [cnjKey(CNJ), requestKey(requestId)]);
  await withRealBridge(note, async (port, bridge) => {
    for (const body of [
      { id: 'n1', event: 'nova_movimentacao', data: { numeroCnj: CNJ } },
      { uuid: 'n2', event: 'movimentacao_nova', processo: { numero_unico: CNJ } },
      { id: 'n3', event: 'publicacao_judicial_nova', data: { numeroCnj: CNJ, requestId: randomUUID() } },
      { uuid: 'n4', event: 'diario_movimentacao_nova', movimentacao: { processo_id: CNJ } },
    ]) {
      expect((await deliver(port, body)).body).toMatchObject({ accepted: true, duplicate: false });
    }
    expect([await count('event'), await count('event_wake')]).toEqual([4, 0]);
    await deliver(port, { id: 'n5', event: 'nova_movimentacao', data: { numeroCnj: CNJ, requestId } });
    await deliver(port, { id: 'u1', event: 'name_of_tomorrow', data: { numeroCnj: CNJ } });
    await until(async () => (await count('event_wake where woken_at is not null')) === 2, {
      what: 'both wakes are delivered',
    });
    await bridge.close();
  });
  expect(new Set(signalled)).toEqual(new Set(['refresh/default/1']));
  expect(await count("event_wake where event_key in ('default/n5', 'default/u1')")).toBe(2);
});

it('the bridge and its relay drop the waiters of an ended flow without waiting for their own locks', async () => {
  await wait('ended', Date.now() - 60_000);
  const ended = (): Promise<void> =>
    Promise.reject(Object.assign(new Error('gone'), { name: 'WorkflowNotFoundError' }));
  await withRealBridge(ended, async (port) => {
    await deliver(port, EVENT);
    await until(async () => (await count('waiter')) === 0, { what: 'the waiters are dropped' });
    await until(async () => (await count('event_wake where woken_at is null')) === 0, { what: 'no wake is owed' });
  });
});

it('the bridge repeats a wake that failed until it is delivered', async () => {
  await wait('flow');
  let tries = 0;
  const signal = (): Promise<void> => {
    tries += 1;
    return tries < 4 ? Promise.reject(Object.assign(new Error('away'), { code: 14 })) : Promise.resolve();
  };
  await withRealBridge(signal, async (port) => {
    expect((await deliver(port, EVENT)).status).toBe(202);
    await until(async () => (await count('event_wake where woken_at is not null')) === 1, {
      what: 'the wake is delivered',
    });
    expect(tries).toBeGreaterThanOrEqual(4);
  });
});

it('the bridge sends no signal for any event that no flow waits for', async () => {
  await insertWaiters({
    workflowId: 'another',
    intentId: randomUUID(),
    keys: ['cnj:00000011120268260100', 'oab:SP:1'],
    nowMs: Date.now(),
  }).execute(database.db);
  await withRealBridge(note, async (port, bridge) => {
    for (const body of [
      EVENT,
      EVENT,
      { ...EVENT, data: { numeroCnj: CNJ, requestId: randomUUID() } },
      { id: 'e2', event: 'publicacao_judicial_nova', data: { oab: 'SP 123456' } },
      { uuid: 'e3', event: 'unknown', processo: { numero_unico: CNJ } },
      'not to be read',
    ]) {
      expect((await deliver(port, body)).status).toBe(202);
    }
    await bridge.close();
  });
  expect(await count('event')).toBe(5);
  expect([signalled, await count('event_wake')]).toEqual([[], 0]);
});

// A 5xx would start a storm of retries.
describe('an authentic delivery is stored and answered 2xx', () => {
  const silent = (): Promise<void> => Promise.resolve();

  it.each<[string, string]>([
    ['a zero character in the name', '{"id":"z1","event":"a\\u0000b"}'],
    ['a zero character in the time', '{"id":"z2","event":"a","created_at":"2026\\u0000"}'],
    ['a zero character in the id', '{"id":"z\\u00003","event":"a"}'],
    ['half a character in name and id', '{"id":"z4\\ud800","event":"a\\udc00"}'],
    ['a character cut in two by our limit', `{"id":"z5","event":"${'x'.repeat(99)}\\ud83d\\ude00"}`],
    ['quotes and backslashes', `{"id":"z6'; drop table tramita.event; --","event":"\\\\x'"}`],
  ])('with %s', async (_title, body) => {
    await withRealBridge(silent, async (port) => {
      const reply = await deliver(port, body);
      expect([reply.status, reply.body['duplicate']]).toEqual([202, false]);
      expect((await deliver(port, body)).body['duplicate']).toBe(true);
      expect(await count('event')).toBe(1);
    });
  });

  it('with any JSON', async () => {
    await withRealBridge(silent, async (port) => {
      const member = fc.constantFrom(
        'id',
        'uuid',
        'event',
        'created_at',
        'data',
        'raw',
        'numeroCnj',
        'oab',
        'processo',
      );
      const text = fc.string({ unit: 'binary' });
      const value = fc.oneof(text, fc.integer(), fc.constant(null), fc.dictionary(member, text), fc.array(text));
      await fc.assert(
        fc.asyncProperty(fc.dictionary(member, value), async (body) => {
          expect((await deliver(port, body)).status).toBe(202);
        }),
        { numRuns: 150 },
      );
    });
  });

  it('with the same bytes that arrived', async () => {
    const body = Buffer.concat([
      Buffer.from('{"id":"b1","x":"'),
      Buffer.from(Array.from({ length: 256 }, (_, at) => at)),
    ]);
    await withRealBridge(silent, async (port) => {
      expect((await deliver(port, body)).status).toBe(202);
      const [stored] = await createInbox({ db: database.db, clock: Date.now }).listEvents({ limit: 1 });
      expect(stored?.body?.equals(body)).toBe(true);
    });
  });
});
