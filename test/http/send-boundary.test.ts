/**
 * The send boundary: a call that fails before the connection is established is `not_sent`, whatever the error code. A
 * request that arrived is never `not_sent`. Includes the age fence.
 */
import { createServer } from 'node:net';
import { judgeExchange } from '../../src/http/index.js';
import { listen } from '../../soak/loopback.js';
import { answer } from './hostile-server.js';
import { TEST_CERTIFICATE } from './test-certificate.js';
import { ENVELOPE, GET, KEY, PATIENT, POST, REFRESH, SEND, clientOf, closeServers, hostile } from './send-support.js';

afterEach(closeServers);

const reply = (socket: { end(bytes: Buffer): unknown }): void => void socket.end(answer(200, ENVELOPE));

async function closedAddress(): Promise<string> {
  const server = createServer();
  const address = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return address;
}

test('a call over a refused connection is not_sent', async () => {
  const exchange = await clientOf(`http://${await closedAddress()}`).send(POST, SEND);
  expect(exchange).toEqual({ kind: 'not_sent', reason: 'no connection: ECONNREFUSED' });
  expect(judgeExchange(REFRESH, exchange)).toEqual({
    outcome: 'NOT_SENT',
    reason: 'no connection: ECONNREFUSED',
  });
});

test('a call with keepAlive over a refused connection is not_sent', async () => {
  const client = clientOf(`http://${await closedAddress()}`);
  const exchange = await client.send(GET, { ...SEND, keepAlive: true });
  expect(exchange).toEqual({ kind: 'not_sent', reason: 'no connection: ECONNREFUSED' });
});

test('a call to a host name that does not exist is not_sent', async () => {
  const limits = { ...PATIENT, connectMs: 500 };
  const exchange = await clientOf('https://tramita.invalid', { limits }).send(POST, SEND);
  expect(exchange.kind).toBe('not_sent');
});

test('a TLS call to a plain port is not_sent, and the server never sees the key', async () => {
  const server = await hostile({
    onRequest: reply,
    onAccept: (socket) => socket.once('data', () => socket.end('oops')),
  });
  const exchange = await clientOf(`https://127.0.0.1:${server.port}`).send(POST, SEND);
  expect(exchange.kind).toBe('not_sent');
  expect(server.connections[0]?.text).not.toContain(KEY);
});

test('a call to a server with an untrusted certificate is not_sent', async () => {
  const server = await hostile({ onRequest: reply, tls: true });
  const exchange = await clientOf(server.origin).send(POST, SEND);
  expect(exchange).toEqual({ kind: 'not_sent', reason: 'no connection: DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(server.requests()).toEqual([]);
});

test('a call whose TLS handshake hangs or is cut is not_sent', async () => {
  const hanging = await hostile({});
  const cutting = await hostile({ onAccept: (socket) => socket.once('data', () => socket.resetAndDestroy()) });
  const options = { ca: TEST_CERTIFICATE, limits: { ...PATIENT, connectMs: 500 } };
  for (const server of [hanging, cutting]) {
    const exchange = await clientOf(`https://127.0.0.1:${server.port}`, options).send(POST, SEND);
    expect(exchange.kind).toBe('not_sent');
  }
});

test('a call over TLS with a trusted certificate is answered', async () => {
  const server = await hostile({ onRequest: reply, tls: true });
  const exchange = await clientOf(server.origin, { ca: TEST_CERTIFICATE }).send(POST, SEND);
  expect(exchange.kind).toBe('answer');
  expect(server.requests()[0]).toContain(`POST ${POST.target} HTTP/1.1\r\n`);
});

test('a TLS call that is reset after the request was read is no_answer', async () => {
  const server = await hostile({ tls: true, onRequest: (socket) => void socket.destroy() });
  const exchange = await clientOf(server.origin, { ca: TEST_CERTIFICATE }).send(POST, SEND);
  expect(exchange.kind).toBe('no_answer');
});

test('a request that arrived is never not_sent, over 300 random resets', async () => {
  const faults = [
    (act: () => void) => act(),
    (act: () => void) => process.nextTick(act),
    (act: () => void) => void setImmediate(act),
    (act: () => void) => void setTimeout(act, Math.random() * 3),
  ];
  const server = await hostile({
    onAccept: (socket) => faults[Math.floor(Math.random() * faults.length)]?.(() => socket.resetAndDestroy()),
  });
  const client = clientOf(server.origin);
  const kinds: Record<string, number> = {};
  const notSent: string[] = [];
  for (let round = 0; round < 300; round += 1) {
    const target = `/v1/reset/${round}/`;
    const exchange = await client.send({ ...POST, target }, SEND);
    kinds[exchange.kind] = (kinds[exchange.kind] ?? 0) + 1;
    if (exchange.kind === 'not_sent') notSent.push(target);
  }
  const arrived = server.connections.map((connection) => connection.text).join('');
  expect(notSent.filter((target) => arrived.includes(target))).toEqual([]);
  expect(Object.keys(kinds).filter((kind) => kind !== 'not_sent' && kind !== 'no_answer')).toEqual([]);
  expect(kinds['no_answer']).toBeGreaterThan(0);
});

test('a request that arrived is never not_sent, at whatever moment the total time ends', async () => {
  const server = await hostile({});
  const client = clientOf(server.origin);
  const byKind: Record<string, string[]> = {};
  for (let round = 0; round < 300; round += 1) {
    const target = `/v1/total/${round}/`;
    const exchange = await client.send({ ...POST, target }, { totalMs: 1 + (round % 4), keepAlive: round % 2 === 0 });
    (byKind[exchange.kind] ??= []).push(target);
  }
  client.close();
  // Once a later request has arrived, every earlier one has too. The deadline is the test's own.
  const arrived = (): string => server.connections.map((connection) => connection.text).join('');
  while (!arrived().includes('/v1/total/last/'))
    await client.send({ ...POST, target: '/v1/total/last/' }, { totalMs: 1_000 });
  expect((byKind['not_sent'] ?? []).filter((target) => arrived().includes(target))).toEqual([]);
});

describe('the age fence', () => {
  test('sends no byte when it refuses', async () => {
    const server = await hostile({ onRequest: reply });
    const exchange = await clientOf(server.origin).send(POST, { ...SEND, beforeWrite: () => 'too old' });
    expect(exchange).toEqual({ kind: 'not_sent', reason: 'too old' });
    expect(server.connections.map((connection) => connection.bytes)).toEqual([0]);
  });

  test('is checked once, after the connection is established', async () => {
    const server = await hostile({ onRequest: reply });
    let checks = 0;
    const beforeWrite = (): undefined => void (checks += 1);
    const exchange = await clientOf(server.origin).send(POST, { ...SEND, beforeWrite });
    expect([exchange.kind, checks, server.requests().length]).toEqual(['answer', 1, 1]);
  });

  test('is not checked when the connection fails', async () => {
    let checks = 0;
    const beforeWrite = (): undefined => void (checks += 1);
    await clientOf(`http://${await closedAddress()}`).send(POST, { ...SEND, beforeWrite });
    expect(checks).toBe(0);
  });

  test('sends no byte when it throws', async () => {
    const server = await hostile({ onRequest: reply });
    const beforeWrite = (): never => {
      throw new Error(`secret ${KEY}`);
    };
    const exchange = await clientOf(server.origin).send(POST, { ...SEND, beforeWrite });
    expect(exchange.kind).toBe('not_sent');
    expect(JSON.stringify(exchange)).not.toContain(KEY);
    expect(server.connections.map((connection) => connection.bytes)).toEqual([0]);
  });
});

describe('connections', () => {
  const keepOpen = (socket: { write(bytes: Buffer): unknown }): void => void socket.write(answer(200, ENVELOPE));

  test('every charged call opens its own connection', async () => {
    const server = await hostile({ onRequest: keepOpen });
    const client = clientOf(server.origin);
    for (let call = 0; call < 3; call += 1) await client.send(POST, SEND);
    expect(server.connections).toHaveLength(3);
    expect(server.requests()[0]?.toLowerCase()).toContain('connection: close');
  });

  test('a fenced call opens its own connection, even with keepAlive and an idle one', async () => {
    const server = await hostile({ onRequest: keepOpen });
    const client = clientOf(server.origin);
    await client.send(GET, { ...SEND, keepAlive: true });
    for (let call = 0; call < 2; call += 1)
      await client.send(POST, { ...SEND, keepAlive: true, beforeWrite: () => undefined });
    client.close();
    expect(server.connections.map((connection) => connection.requests.length)).toEqual([1, 1, 1]);
    for (const request of server.requests().slice(1)) expect(request.toLowerCase()).toContain('connection: close');
  });

  test('stray bytes on an idle shared connection never answer the next request', async () => {
    let closed = 0;
    const server = await hostile({
      onAccept: (socket) => socket.once('close', () => (closed += 1)),
      onRequest: (socket, _request, connection) => {
        socket.write(answer(200, ENVELOPE));
        if (connection.requests.length === 1)
          setTimeout(() => socket.write(answer(200, '{"data":{"stray":true}}')), 20);
      },
    });
    const client = clientOf(server.origin);
    for (let call = 0; call < 3; call += 1) {
      const exchange = await client.send(GET, { ...SEND, keepAlive: true });
      expect(exchange).toMatchObject({ kind: 'answer', body: Buffer.from(ENVELOPE) });
      while (closed <= call) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    client.close();
    expect(server.connections).toHaveLength(3);
  });

  test('free polls share one connection', async () => {
    const server = await hostile({ onRequest: keepOpen });
    const client = clientOf(server.origin);
    for (let call = 0; call < 3; call += 1) {
      expect((await client.send(GET, { ...SEND, keepAlive: true })).kind).toBe('answer');
    }
    client.close();
    expect(server.connections).toHaveLength(1);
    expect(server.requests()).toHaveLength(3);
  });

  test('a request whose reused connection dies is no_answer', async () => {
    const server = await hostile({
      onRequest: (socket, _request, connection) =>
        connection.requests.length === 1 ? keepOpen(socket) : void socket.end(),
    });
    const client = clientOf(server.origin);
    await client.send(GET, { ...SEND, keepAlive: true });
    const exchange = await client.send(GET, { ...SEND, keepAlive: true });
    client.close();
    expect(exchange.kind).toBe('no_answer');
    expect(server.requests()).toHaveLength(2);
  });
});

test('a free call can be cancelled before and after it was sent', async () => {
  const server = await hostile({});
  const client = clientOf(server.origin);
  for (const keepAlive of [false, true]) {
    const target = '/v1/cancelled-before';
    const aborted = await client.send({ ...GET, target }, { ...SEND, keepAlive, signal: AbortSignal.abort() });
    expect(aborted.kind).toBe('not_sent');
  }
  // Anything sent earlier would have arrived before this request.
  await client.send(GET, { totalMs: 150 });
  expect(server.connections.map((connection) => connection.text).join('')).not.toContain('cancelled-before');
  const controller = new AbortController();
  const target = '/v1/cancelled-after';
  const sent = client.send({ ...GET, target }, { ...SEND, signal: controller.signal });
  const hasArrived = (): boolean => server.requests().some((request) => request.includes(target));
  while (!hasArrived()) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  expect(await sent).toEqual({ kind: 'no_answer', reason: 'cancelled' });
  client.close();
});

test('the first byte, idle and total limits each end a call', async () => {
  const silent = await hostile({});
  const exchange = await clientOf(silent.origin, { limits: { ...PATIENT, firstByteMs: 80 } }).send(POST, SEND);
  expect(exchange).toEqual({ kind: 'no_answer', reason: 'no byte of an answer within 80 ms' });
  const stalling = await hostile({ onRequest: (socket) => void socket.write(answer(200, '{', { length: 9 })) });
  const stalled = await clientOf(stalling.origin, { limits: { ...PATIENT, idleMs: 70 } }).send(POST, SEND);
  expect(stalled).toMatchObject({ kind: 'cut', reason: 'the answer stalled for 70 ms' });
  // Long enough to connect: before that, the call would be `not_sent`.
  const total = await clientOf(silent.origin).send(POST, { totalMs: 2_000 });
  expect(total).toEqual({ kind: 'no_answer', reason: 'not finished within the total time' });
});

describe('an interim answer', () => {
  const EARLY = 'HTTP/1.1 102 Processing\r\n\r\n';
  const limits = { ...PATIENT, firstByteMs: 5_000, idleMs: 300 };

  test('is not the first byte of the answer, so the service may take as long as without it', async () => {
    for (const late of [answer(200, ENVELOPE), Buffer.concat([Buffer.from(EARLY), answer(200, ENVELOPE)])]) {
      const server = await hostile({
        onRequest: (socket) => {
          socket.write(EARLY);
          setTimeout(() => socket.end(late), 1_200);
        },
      });
      expect((await clientOf(server.origin, { limits }).send(POST, SEND)).kind).toBe('answer');
    }
  });

  test('does not extend the first-byte limit', async () => {
    const silent = await hostile({ onRequest: (socket) => void socket.write(EARLY) });
    const brief = { ...limits, firstByteMs: 600 };
    const exchange = await clientOf(silent.origin, { limits: brief }).send(POST, SEND);
    expect(exchange).toEqual({ kind: 'no_answer', reason: 'no byte of an answer within 600 ms' });
  });

  test('leaves the idle limit in force for the answer itself', async () => {
    const server = await hostile({
      onRequest: (socket) => void socket.write(Buffer.concat([Buffer.from(EARLY), answer(200, '{', { length: 9 })])),
    });
    const exchange = await clientOf(server.origin, { limits }).send(POST, SEND);
    expect(exchange).toMatchObject({ kind: 'cut', reason: 'the answer stalled for 300 ms' });
  });
});
