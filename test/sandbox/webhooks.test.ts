/**
 * Webhooks to a real receiver. The signature is computed here again, from the interface text; nothing of the sandbox's
 * signer is imported.
 */
import { createHmac } from 'node:crypto';
import { readWebhookEvent } from '../../src/contract/index.js';
import { PERSONAS } from '../../sandbox/index.js';
import {
  anyText,
  closeSandboxes,
  HAPPY,
  paths,
  start,
  startReceiver,
  textLike,
  until,
  type Caller,
} from './support/client.js';
import type { Received, Receiver } from './support/webhook-receiver.js';

const SECRET = 'the secret of the account';
const CALLBACK = '?enviar_callback=true';
let receiver: Receiver;

beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(closeSandboxes);

const cnjOf = (name: string): string => PERSONAS.find((persona) => persona.name === name)!.cnj;
const arrived = (count: number) =>
  until(
    () => Promise.resolve(receiver.received),
    (all) => all.length >= count,
  );
const deliveries = async (sandbox: Caller) => (await sandbox.control('/events')).json.deliveries;
const bodyOf = (received: Received) => JSON.parse(received.body.toString('utf8')) as Record<string, unknown>;
const startWith = (webhook: object = {}, options: object = {}) =>
  start({ refreshMs: 20, webhook: { url: receiver.url, secret: SECRET, token: 'tkn', ...webhook }, ...options });

test('the end of a refresh is sent to the webhook with the documented headers and a signature over the raw bytes', async () => {
  const sandbox = await startWith();
  const { requestId } = (await sandbox.post(paths.refresh(HAPPY) + CALLBACK)).json.data;
  const [delivery] = await arrived(1);
  const { method, path, headers, body, atMs } = delivery!;
  expect([method, path]).toEqual(['POST', '/webhooks']);
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': 'Service-Webhook/1.0',
    'x-service-event': 'atualizacao_processo_concluida',
    'x-service-delivery-id': textLike(/^[0-9a-f-]{36}$/),
    authorization: 'Bearer tkn',
    'x-service-signature': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
  });
  expect(Math.abs(Number(headers['x-service-timestamp']) - atMs / 1_000)).toBeLessThan(60);
  const event = bodyOf(delivery!);
  expect(event).toEqual({
    id: anyText,
    event: 'atualizacao_processo_concluida',
    source: anyText,
    created_at: textLike(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: { numeroCnj: HAPPY, tribunal: 'TJSP', requestId, status: 'SUCESSO' },
  });
  expect((await sandbox.get(paths.request(requestId))).status).toBe(200);
});

test('with secretForm hex the signing key is the 32 bytes of the 64 hex digits', async () => {
  const secret = 'ab'.repeat(32);
  const sandbox = await startWith({ secret, secretForm: 'hex' });
  await sandbox.post(paths.refresh(HAPPY) + CALLBACK);
  const [{ headers, body }] = (await arrived(1)) as [Received];
  const expected = createHmac('sha256', Buffer.from(secret, 'hex')).update(body).digest('hex');
  expect(headers['x-service-signature']).toBe(`sha256=${expected}`);
});

test('without secret and token a delivery has neither signature nor authorization', async () => {
  const sandbox = await start({ refreshMs: 0, webhook: { url: receiver.url } });
  await sandbox.post(paths.refresh(HAPPY) + CALLBACK);
  const [{ headers }] = (await arrived(1)) as [Received];
  expect(headers).not.toHaveProperty('authorization');
  expect(headers).not.toHaveProperty('x-service-signature');
});

test.each([
  ['NORMALIZED', ['id', 'event', 'source', 'created_at', 'data']],
  ['RAW', ['id', 'event', 'source', 'created_at', 'data']],
  ['BOTH', ['id', 'event', 'source', 'created_at', 'data', 'raw']],
  ['flat', ['uuid', 'event', 'atualizacao']],
])('format %s has its documented members, and the contract reads case and request from it', async (format, members) => {
  const sandbox = await startWith({ format });
  const { requestId } = (await sandbox.post(paths.refresh(HAPPY) + CALLBACK)).json.data;
  const [received] = (await arrived(1)) as [Received];
  const body = bodyOf(received);
  expect(Object.keys(body)).toEqual(members);
  expect(readWebhookEvent(body)).toMatchObject({ cnjs: [HAPPY.replace(/\D/g, '')], requestIds: [requestId] });
});

test.each([
  ['?enviar_callback=1', {}],
  ['?send_callback=true', {}],
  ['', { enviar_callback: true }],
  ['', { send_callback: 1 }],
])('the callback flag is read from query %j and body %j', async (query, body) => {
  const sandbox = await startWith();
  await sandbox.post(paths.refresh(HAPPY) + query, body);
  await arrived(1);
});

test('nothing is sent unless the callback flag is set, the webhook is active and the event is enabled', async () => {
  const finished = async (sandbox: Caller, query: string) => {
    const { requestId } = (await sandbox.post(paths.refresh(HAPPY) + query)).json.data;
    await until(
      () => sandbox.get(paths.request(requestId)),
      (reply) => reply.status === 200,
    );
    expect(await deliveries(sandbox)).toEqual([]);
  };
  await finished(await startWith(), '');
  await finished(await startWith(), '?enviar_callback=0');
  await finished(await startWith({ active: false }), CALLBACK);
  await finished(await start({ refreshMs: 0 }), CALLBACK);
  await finished(await startWith({ events: ['novo_processo'] }), CALLBACK);
  expect(receiver.received).toEqual([]);
});

test('a delivery not answered 2xx is retried after 2, 4, 8 … at most 120 minutes with the same body and id', async () => {
  const sandbox = await startWith();
  receiver.answer(500, 401, 302, 404, 503, 400, 500, 500);
  await sandbox.post(paths.refresh(HAPPY) + CALLBACK);
  await arrived(1);
  let count = 1;
  for (const minutes of [2, 4, 8, 16, 32, 64, 120, 120]) {
    const waiting = await until(
      () => deliveries(sandbox),
      ([delivery]) => delivery!.attempts.length === count,
    );
    expect(waiting[0]!.state).toBe('waiting');
    await sandbox.control('/clock', { advanceMs: minutes * 60_000 - 30_000 });
    expect(receiver.received).toHaveLength(count);
    await sandbox.control('/clock', { advanceMs: 30_000 });
    count += 1;
    await arrived(count);
  }
  const [delivery] = await until(
    () => deliveries(sandbox),
    ([each]) => each!.state !== 'waiting',
  );
  expect(delivery).toMatchObject({ state: 'delivered' });
  const times = delivery!.attempts.map(({ at }) => Date.parse(at));
  const waitedMinutes = times.slice(1).map((time, index) => Math.floor((time - times[index]!) / 60_000));
  expect(waitedMinutes).toEqual([2, 4, 8, 16, 32, 64, 120, 120]);
  expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(1);
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-timestamp'])).size).toBe(9);
});

test('after the last attempt a delivery is given up', async () => {
  const sandbox = await startWith({}, { webhookMaxAttempts: 2 });
  receiver.answer(500, 500);
  await sandbox.post(paths.refresh(HAPPY) + CALLBACK);
  await until(
    () => deliveries(sandbox),
    ([delivery]) => delivery?.attempts.length === 1,
  );
  await sandbox.control('/clock', { advanceMs: 120_000 });
  await until(
    () => deliveries(sandbox),
    ([delivery]) => delivery?.state === 'given up',
  );
});

test('persona webhook-lost sends nothing, and webhook-twice sends the same event in two deliveries', async () => {
  const sandbox = await startWith();
  const lost = (await sandbox.post(paths.refresh(cnjOf('webhook-lost')) + CALLBACK)).json.data.requestId;
  await until(
    () => sandbox.get(paths.request(lost)),
    (reply) => reply.status === 200,
  );
  await sandbox.post(paths.refresh(cnjOf('webhook-twice')) + CALLBACK);
  const [first, second] = (await arrived(2)) as [Received, Received];
  expect(first.body.equals(second.body)).toBe(true);
  expect(first.headers['x-service-delivery-id']).not.toBe(second.headers['x-service-delivery-id']);
  expect(receiver.received).toHaveLength(2);
});

test('persona webhook-early delivers before the 202 is written', async () => {
  const sandbox = await startWith({}, { refreshMs: 60_000 });
  const accepted = await sandbox.post(paths.refresh(cnjOf('webhook-early')) + CALLBACK);
  expect(accepted.status).toBe(202);
  expect(receiver.received).toHaveLength(1);
  expect(bodyOf(receiver.received[0]!)['data']).toMatchObject({ requestId: accepted.json.data.requestId });
  expect(await sandbox.charges()).toMatchObject([{ flushed: 'all' }]);
});

test('the webhook can be set at run time, but not to an unmapped or plain-HTTP host', async () => {
  const sandbox = await start({ refreshMs: 0, webhookHostMap: { 'hooks.example.test': receiver.origin } });
  const refused = await sandbox.control('/webhook', { url: 'https://elsewhere.example.test/hook' });
  expect([refused.status, refused.json.error.code]).toEqual([422, 'INVALID_WEBHOOK_URL']);
  expect((await sandbox.control('/webhook', { url: 'http://hooks.example.test/x' })).status).toBe(422);
  const set = await sandbox.control('/webhook', { url: 'https://hooks.example.test/in?a=1', secret: SECRET });
  expect(set.status).toBe(200);
  await sandbox.post(paths.refresh(HAPPY) + CALLBACK);
  const [{ path }] = (await arrived(1)) as [Received];
  expect(path).toBe('/in?a=1');
});

describe('the events command', () => {
  test('send delivers any event, or any text as the body', async () => {
    const sandbox = await startWith();
    const command = { action: 'send', event: 'novo_processo', id: 'ev-1', cnj: HAPPY, data: { extra: 1 } };
    const sent = await sandbox.control('/events', command);
    expect(sent.json.deliveries).toMatchObject([{ eventId: 'ev-1', state: 'delivered', attempts: [{ status: 204 }] }]);
    expect(bodyOf(receiver.received[0]!)).toMatchObject({ id: 'ev-1', data: { numeroCnj: HAPPY, extra: 1 } });
    await sandbox.control('/events', { action: 'send', body: 'not json' });
    expect(receiver.received[1]!.body.toString()).toBe('not json');
    expect(receiver.received[1]!.headers['x-service-signature']).toBe(
      `sha256=${createHmac('sha256', SECRET).update('not json').digest('hex')}`,
    );
  });

  test('duplicate sends the last event again byte for byte', async () => {
    const sandbox = await startWith();
    await sandbox.control('/events', { action: 'send', cnj: HAPPY });
    await sandbox.control('/events', { action: 'duplicate', times: 3 });
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery-id'])).size).toBe(4);
  });

  test('reorder delivers the next two events in reverse order', async () => {
    const sandbox = await startWith({}, { refreshMs: 10_000 });
    await sandbox.control('/events', { action: 'reorder', count: 2 });
    const first = (await sandbox.post(paths.refresh(HAPPY) + CALLBACK)).json.data.requestId;
    await sandbox.control('/clock', { advanceMs: 10_000 });
    expect((await deliveries(sandbox)).map(({ state }) => state)).toEqual(['held']);
    const second = (await sandbox.post(paths.refresh(HAPPY) + CALLBACK)).json.data.requestId;
    await sandbox.control('/clock', { advanceMs: 10_000 });
    const received = await arrived(2);
    expect(received.map((each) => (bodyOf(each)['data'] as { requestId: string }).requestId)).toEqual([second, first]);
  });

  test.each(['none', 'wrong-secret', 'tampered-body', 'garbage'])(
    'forge sends a signature (%s) that does not verify',
    async (signature) => {
      const sandbox = await startWith();
      await sandbox.control('/events', { action: 'forge', signature, token: 'wrong', cnj: HAPPY });
      const [{ headers, body }] = (await arrived(1)) as [Received];
      const right = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
      expect(headers['x-service-signature']).not.toBe(right);
      if (signature === 'none') expect(headers).not.toHaveProperty('x-service-signature');
      expect(headers.authorization).toBe('Bearer not-the-token');
    },
  );

  test('answers 409 when no webhook is set', async () => {
    const sandbox = await start();
    expect((await sandbox.control('/events', { action: 'send' })).status).toBe(409);
  });
});
