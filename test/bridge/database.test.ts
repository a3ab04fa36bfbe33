/** The bridge over the real inbox, with the rights of its narrow role only: one delivery, from the socket to the wake. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createBridge, type Bridge } from '../../src/bridge/index.js';
import { createInbox, cnjKey, insertWaiters } from '../../src/inbox/index.js';
import { withDatabase } from '../support/database.js';
import { CNJ, SECRET, deliver, until } from './support.js';

const database = withDatabase();
const EVENT = { id: 'e1', event: 'atualizacao_processo_concluida', data: { numeroCnj: CNJ } };

async function withRealBridge(
  signal: (workflowId: string) => Promise<void>,
  test: (port: number, bridge: Bridge) => Promise<void>,
): Promise<void> {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c role=tramita_bridge');
  const clock = (): number => Date.now();
  const bridge = await createBridge({
    listen: { host: '127.0.0.1', port: 0 },
    opsListen: { host: '127.0.0.1', port: 0 },
    accounts: { default: { secrets: [SECRET], secretForm: 'utf8', tokens: [] } },
    inbox: createInbox({ db: database.connect({ url: url.href }), clock }),
    signalWake: signal,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    clock,
    relay: { pauseMs: 20, maxPauseMs: 80, olderThanMs: 0 },
  });
  try {
    await test(Number(new URL(bridge.url).port), bridge);
  } finally {
    await bridge.close();
  }
}

const wait = (workflowId: string): Promise<unknown> =>
  insertWaiters({ workflowId, intentId: randomUUID(), keys: [cnjKey(CNJ)], nowMs: Date.now() }).execute(database.db);

const count = async (statement: string): Promise<number> => {
  const { rows } = await sql.raw<{ count: string }>(`select count(*) from tramita.${statement}`).execute(database.db);
  return Number(rows[0]?.count);
};

afterEach(async () => {
  await sql.raw('truncate tramita.event, tramita.event_wake, tramita.waiter').execute(database.db);
});

it('stores the event, wakes who waits, and marks the wake', async () => {
  await wait('refresh/default/1');
  const signalled: string[] = [];
  const signal = (workflowId: string): Promise<void> => {
    signalled.push(workflowId);
    return Promise.resolve();
  };
  await withRealBridge(signal, async (port, bridge) => {
    expect((await deliver(port, EVENT)).body).toEqual({ accepted: true, eventId: 'e1', duplicate: false });
    expect(await count("event where event_id = 'e1'")).toBe(1);
    await until(async () => (await count('event_wake where woken_at is not null')) === 1, 'the wake is marked');
    expect(new Set(signalled)).toEqual(new Set(['refresh/default/1']));
    expect((await deliver(port, EVENT)).body).toMatchObject({ duplicate: true });
    expect((await deliver(port, { ...EVENT, data: {} })).body).toMatchObject({ duplicate: false });
    expect(await count('event where conflict')).toBe(1);
    expect((await fetch(`${bridge.opsUrl}/readyz`)).status).toBe(200);
  });
});

it('drops the waiters of a flow that has ended, from the relay too, without waiting for its own locks', async () => {
  await wait('ended');
  const gone = (): Promise<void> => Promise.reject(Object.assign(new Error('gone'), { name: 'WorkflowNotFoundError' }));
  await withRealBridge(gone, async (port) => {
    await deliver(port, EVENT);
    await until(async () => (await count('waiter')) === 0, 'the waiters are dropped');
    await until(async () => (await count('event_wake where woken_at is null')) === 0, 'no wake is owed');
  });
});

it('repeats a wake that failed until it is delivered', async () => {
  await wait('flow');
  let tries = 0;
  const signal = (): Promise<void> => {
    tries += 1;
    return tries < 4 ? Promise.reject(Object.assign(new Error('away'), { code: 14 })) : Promise.resolve();
  };
  await withRealBridge(signal, async (port) => {
    expect((await deliver(port, EVENT)).status).toBe(202);
    await until(async () => (await count('event_wake where woken_at is not null')) === 1, 'the wake is home');
    expect(tries).toBeGreaterThanOrEqual(4);
  });
});
