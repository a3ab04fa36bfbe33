/** What an answer promises: 2xx only after the commit, no wake lost, no flow woken without a reason. */
// Line numbers in titles are those of the attack catalogue in `attacks.test.ts`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'node:https';
import { buildDeliveryHeaders, type SignalWake } from '../../src/bridge/index.js';
import { CNJ, LATE_RELAY, SECRET, deliver, memoryInbox, withBridge } from './support.js';
import { until } from '../support/until.js';

const EVENT = {
  id: 'e1',
  event: 'atualizacao_processo_concluida',
  created_at: '2026-01-01T00:00:00.000Z',
  data: { numeroCnj: CNJ },
};
const named = (name: string, extra: object = {}): Error => Object.assign(new Error('canary'), { name, ...extra });

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('the answer to a delivery', () => {
  it('is 2xx only after the inbox has committed', async () => {
    const inbox = memoryInbox();
    const commit = gate();
    inbox.hooks.after = () => commit.opened;
    await withBridge({ inbox }, async ({ port }) => {
      let answered = false;
      const reply = deliver(port, EVENT).then((value) => {
        answered = true;
        return value;
      });
      await until(() => inbox.events.size === 1, { what: 'the event has reached the inbox' });
      // Meanwhile a second delivery without a gate is answered: the first waits for its commit, not for a slow machine.
      inbox.hooks.after = () => Promise.resolve();
      expect((await deliver(port, { ...EVENT, id: 'e2' })).status).toBe(202);
      expect(answered).toBe(false);
      commit.open();
      expect((await reply).body).toEqual({ accepted: true, eventId: 'e1', duplicate: false });
    });
  });

  it('replaces an event id with a personal number by the hash of the body, keeps no such delivery id, and a repeat is a duplicate', async () => {
    const inbox = memoryInbox();
    await withBridge({ inbox }, async ({ port }) => {
      for (const id of ['pessoa-529.982.247-25', 'SP:123456', 'acme 12ABC34501DE35', 'oab sp/12345']) {
        const event = { ...EVENT, id };
        expect(await deliver(port, event, { headers: { 'x-service-delivery-id': id } })).toMatchObject({ status: 202 });
        expect((await deliver(port, event)).body).toMatchObject({ duplicate: true });
      }
    });
    expect([...inbox.events.values()].flatMap(({ deliveryId }) => deliveryId ?? [])).toEqual([]);
    expect([...inbox.events.keys()].map((key) => key.replace(/^.*\//, ''))).toEqual(
      Array.from({ length: 4 }, () => expect.stringMatching(/^[0-9a-f]{64}$/) as string),
    );
  });

  it('keeps an event id that only resembles a lawyer’s registration', async () => {
    const inbox = memoryInbox();
    await withBridge({ inbox }, async ({ port }) => {
      for (const id of ['ev:12345', 'wh/12345', 'xx:123456']) {
        expect((await deliver(port, { ...EVENT, id })).body).toMatchObject({ eventId: id });
      }
    });
  });

  it('is 503 with Retry-After when the database fails before the commit, and the retry is accepted as new', async () => {
    const inbox = memoryInbox();
    inbox.hooks.before = () => Promise.reject(named('ConnectionError'));
    await withBridge({ inbox }, async ({ port, logs }) => {
      const reply = await deliver(port, EVENT);
      expect([reply.status, reply.headers['retry-after'], inbox.events.size]).toEqual([503, '5', 0]);
      inbox.hooks.before = () => Promise.resolve();
      expect((await deliver(port, EVENT)).body).toMatchObject({ accepted: true, duplicate: false });
      expect(logs.join('\n')).not.toContain('canary');
    });
  });

  it('is 503 when the database fails after the commit; the retry is a duplicate, and the flow is woken once (line 50)', async () => {
    const inbox = memoryInbox();
    inbox.waiters.set(`cnj:${CNJ}`, new Set(['flow']));
    inbox.hooks.after = () => Promise.reject(named('ConnectionError'));
    await withBridge({ inbox }, async ({ port, signals }) => {
      expect((await deliver(port, EVENT)).status).toBe(503);
      inbox.hooks.after = () => Promise.resolve();
      expect((await deliver(port, EVENT)).body).toMatchObject({ accepted: true, duplicate: true });
      await until(() => inbox.owed.length === 0, { what: 'the relay has woken the flow' });
      expect(signals).toEqual([
        { workflowId: 'flow', payload: { reason: 'relay', eventId: 'e1', event: EVENT.event } },
      ]);
    });
  });

  it('is 503 in time when the database is slow, and the late commit still wakes the flow (line 48)', async () => {
    const inbox = memoryInbox();
    inbox.waiters.set(`cnj:${CNJ}`, new Set(['flow']));
    const commit = gate();
    inbox.hooks.before = () => commit.opened;
    await withBridge({ inbox, answerWithinMs: 50 }, async ({ port, signals, metric }) => {
      const reply = await deliver(port, EVENT);
      expect([reply.status, reply.headers['retry-after']]).toEqual([503, '5']);
      expect(await metric('refused_total{reason="database-slow"}')).toBe(1);
      commit.open();
      await until(() => signals.length === 1 && inbox.owed.length === 0, { what: 'the relay has woken the flow' });
    });
  });

  it('is 429 while too many deliveries are being stored', async () => {
    const inbox = memoryInbox();
    const commit = gate();
    inbox.hooks.before = () => commit.opened;
    await withBridge({ inbox, maxInFlight: 2 }, async ({ port, metric }) => {
      const deliveries = [deliver(port, { ...EVENT, id: 'h1' }), deliver(port, { ...EVENT, id: 'h2' })];
      await until(
        async () =>
          (
            await deliver(
              port,
              { ...EVENT, id: 'h3' },
              { headers: { 'x-service-signature': `sha256=${'0'.repeat(64)}` } },
            )
          ).status === 429,
        { what: 'the bridge is busy' },
      );
      expect(await metric('refused_total{reason="busy"}')).toBe(1);
      commit.open();
      expect((await Promise.all(deliveries)).map((reply) => reply.status)).toEqual([202, 202]);
    });
  });

  it('reaches all 50 deliveries in flight when the bridge is closed (line 49)', async () => {
    const inbox = memoryInbox();
    const commit = gate();
    let waiting = 0;
    inbox.hooks.before = () => {
      waiting += 1;
      return commit.opened;
    };
    await withBridge({ inbox }, async ({ port, bridge }) => {
      const replies = Array.from({ length: 50 }, (_, index) => deliver(port, { ...EVENT, id: `f${index}` }));
      await until(() => waiting === 50, { what: 'all are in flight' });
      const closed = bridge.close();
      await until(
        () =>
          deliver(port, EVENT).then(
            () => false,
            () => true,
          ),
        { what: 'the listener is closed' },
      );
      commit.open();
      expect((await Promise.all(replies)).map((reply) => reply.status)).toEqual(Array(50).fill(202));
      await closed;
      expect(inbox.events.size).toBe(50);
    });
  });

  it('accepts the all-zero probe, which is not stored', async () => {
    await withBridge({}, async ({ port, inbox, metric }) => {
      const reply = await deliver(port, { id: 'probe', event: 'x', data: { numeroCnj: '0000000-00.0000.0.00.0000' } });
      expect([reply.status, inbox.events.size]).toEqual([202, 0]);
      expect(await metric('probe_total{account="default"}')).toBe(1);
    });
  });
});

describe('waking', () => {
  it('signals every waiting flow once, after the answer', async () => {
    const inbox = memoryInbox();
    inbox.waiters.set(`cnj:${CNJ}`, new Set(['refresh/default/1', 'import/default/2']));
    // Longer than a round of the relay of other tests.
    inbox.hooks.after = () => new Promise((resolve) => setTimeout(resolve, 50));
    await withBridge({ inbox, relay: LATE_RELAY }, async ({ port, signals }) => {
      await deliver(port, EVENT);
      await until(() => signals.length === 2 && inbox.owed.length === 0, { what: 'both are woken' });
      expect(signals).toContainEqual({
        workflowId: 'refresh/default/1',
        payload: { eventId: 'e1', event: 'atualizacao_processo_concluida' },
      });
    });
  });

  it('sends no signal for an event that no flow waits for', async () => {
    await withBridge({}, async ({ port, signals, bridge }) => {
      await deliver(port, EVENT);
      await bridge.close();
      expect(signals).toEqual([]);
    });
  });

  it('leaves a wake to the relay while Temporal is away, which repeats it until it is delivered', async () => {
    const inbox = memoryInbox();
    inbox.waiters.set(`cnj:${CNJ}`, new Set(['flow']));
    let isAway = true;
    let attempts = 0;
    const signalWake: SignalWake = () => {
      attempts += 1;
      return isAway ? Promise.reject(named('ServiceError', { code: 14 })) : Promise.resolve();
    };
    await withBridge({ inbox, signalWake }, async ({ port, bridge, metric, logs }) => {
      expect((await deliver(port, EVENT)).status).toBe(202);
      await until(() => attempts >= 3, { what: 'the relay has tried again' });
      expect(inbox.owed).toHaveLength(1);
      const ready = await fetch(`${bridge.opsUrl}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([
        200,
        { ready: true, database: 'reachable', temporal: 'away' },
      ]);
      isAway = false;
      await until(() => inbox.owed.length === 0, { what: 'the wake is delivered' });
      await until(async () => (await metric('relayed_total')) === 1, { what: 'the wake is counted' });
      expect(logs.join('\n')).not.toContain('canary');
    });
  });

  it.each<[string, Error]>([
    ['by name', named('WorkflowNotFoundError')],
    ['by code', named('Other', { code: 5 })],
    ['by the code of its cause', named('Other', { cause: { code: 5 } })],
  ])(
    'drops the waiters of a flow that has ended (recognised %s), so that it is not signalled forever',
    async (_title, gone) => {
      const inbox = memoryInbox();
      inbox.waiters.set(`cnj:${CNJ}`, new Set(['ended']));
      await withBridge({ inbox, signalWake: () => Promise.reject(gone) }, async ({ port, metric }) => {
        expect((await deliver(port, EVENT)).status).toBe(202);
        await until(() => inbox.waiters.get(`cnj:${CNJ}`)?.size === 0 && inbox.owed.length === 0, {
          what: 'the waiter is gone',
        });
        expect(await metric('late_total')).toBeGreaterThanOrEqual(1);
      });
    },
  );

  it('gives up a wake that Temporal refuses as malformed, so that it does not block the others', async () => {
    const inbox = memoryInbox();
    inbox.waiters.set(`cnj:${CNJ}`, new Set(['bad']));
    await withBridge(
      { inbox, signalWake: () => Promise.reject(named('ServiceError', { code: 3 })) },
      async ({ port }) => {
        await deliver(port, EVENT);
        await until(() => inbox.owed.length === 0, { what: 'the wake is marked' });
      },
    );
  });

  it('is shared by two bridges over one inbox, each wake signalled once', async () => {
    const inbox = memoryInbox();
    const signalled: string[] = [];
    const signalWake: SignalWake = (workflowId) => {
      signalled.push(workflowId);
      return Promise.resolve();
    };
    inbox.owed.push(
      ...Array.from({ length: 200 }, (_, index) => ({ eventKey: `default/${index}`, workflowId: `flow-${index}` })),
    );
    await withBridge({ inbox, signalWake }, () =>
      withBridge({ inbox, signalWake }, async () => {
        await until(() => inbox.owed.length === 0, { what: 'all wakes are delivered' });
      }),
    );
    expect([signalled.length, new Set(signalled).size]).toEqual([200, 200]);
  });
});

describe('the bridge', () => {
  it('keeps bodies, case numbers and secrets out of log, metrics and signals', async () => {
    const inbox = memoryInbox();
    inbox.waiters.set(`cnj:${CNJ}`, new Set(['flow']));
    await withBridge({ inbox }, async ({ port, bridge, logs, signals }) => {
      const event = {
        ...EVENT,
        id: `own-process:${CNJ}:1`,
        data: { numeroCnj: CNJ, nome: 'Maria Canary', cpf: '52998224725' },
      };
      await deliver(port, event);
      await deliver(port, event);
      await deliver(port, { ...event, event: 'Maria Canary' });
      await deliver(port, 'Maria Canary 52998224725');
      await deliver(port, event, { headers: { 'x-service-signature': 'sha256=canary' } });
      await until(() => signals.length > 0 && inbox.owed.length === 0, { what: 'the flow is woken' });
      const metrics = await (await fetch(`${bridge.opsUrl}/metrics`)).text();
      const everything = [...logs, metrics, JSON.stringify(signals)].join('\n');
      expect(logs.length).toBeGreaterThan(3);
      for (const canary of ['Maria', '52998224725', CNJ, SECRET, 'sha256=canary'])
        expect(everything).not.toContain(canary);
    });
  });

  it('is alive always, and ready only while the database answers', async () => {
    const inbox = memoryInbox();
    await withBridge(
      { inbox: { ...inbox, takeUnwoken: () => Promise.reject(named('ConnectionError')) } },
      async ({ bridge }) => {
        expect((await fetch(`${bridge.opsUrl}/healthz`)).status).toBe(200);
        const ready = await fetch(`${bridge.opsUrl}/readyz`);
        expect([ready.status, await ready.json()]).toEqual([
          503,
          { ready: false, database: 'away', temporal: 'unknown' },
        ]);
      },
    );
  });

  it('serves HTTPS itself when given a certificate', async () => {
    const pem = (name: string): string => readFileSync(join(__dirname, 'fixtures', name), 'utf8');
    const cert = pem('toy-cert.pem');
    await withBridge({ tls: { cert, key: pem('toy-key.pem') } }, async ({ bridge, port }) => {
      expect(bridge.url).toMatch(/^https:/);
      const body = Buffer.from(JSON.stringify(EVENT));
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const headers = buildDeliveryHeaders({ body, secret: SECRET });
        const sent = request(
          {
            host: '127.0.0.1',
            port,
            path: '/webhooks',
            method: 'POST',
            ca: cert,
            servername: 'localhost',
            headers,
            agent: false,
          },
          (answer) => {
            answer.resume();
            answer.on('end', () => resolve(answer.statusCode));
          },
        );
        sent.on('error', reject);
        sent.end(body);
      });
      expect(status).toBe(202);
    });
  });

  it('reports an address in use with a clear error', async () => {
    await withBridge({}, async ({ port }) => {
      await expect(withBridge({ listen: { host: '127.0.0.1', port } }, () => Promise.resolve())).rejects.toThrow(
        `tramita: the bridge cannot listen on 127.0.0.1:${port} (EADDRINUSE); free the port or choose another address`,
      );
    });
  });
});
