/** The key reaches the configured origin and nobody else; the request is byte for byte what the contract built. */
import { createServiceClient, type ServiceClient } from '../../src/http/index.js';
import { answer } from './hostile-server.js';
import { ENVELOPE, GET, KEY, POST, SEND, clientOf, closeServers, hostile } from './send-support.js';

afterEach(closeServers);

const ok = (socket: { end(bytes: Buffer): unknown }): void => void socket.end(answer(200, ENVELOPE));

test.each([301, 302, 303, 307, 308])(
  'a redirect with HTTP %s to another origin is returned, not followed',
  async (status) => {
    const other = await hostile({ onRequest: ok });
    const server = await hostile({
      onRequest: (socket) => void socket.end(answer(status, '', { headers: { Location: `${other.origin}/steal` } })),
    });
    const exchange = await clientOf(server.origin).send(POST, SEND);
    expect(exchange).toMatchObject({ kind: 'answer', head: { status } });
    expect(other.connections).toEqual([]);
    expect(server.requests()).toHaveLength(1);
  },
);

test('a target that names another origin never leaves the configured one', async () => {
  const other = await hostile({ onRequest: ok });
  const server = await hostile({ onRequest: ok });
  const client = clientOf(server.origin);
  for (const target of [
    `${other.origin}/x`,
    `//127.0.0.1:${other.port}/x`,
    `/\\127.0.0.1:${other.port}/x`,
    `/@127.0.0.1:${other.port}`,
  ]) {
    await client.send({ method: 'GET', target }, SEND);
  }
  expect(other.connections).toEqual([]);
});

test('proxy variables of the environment are ignored', async () => {
  const proxy = await hostile({ onRequest: ok });
  const server = await hostile({ onRequest: ok });
  const saved = { ...process.env };
  Object.assign(process.env, {
    HTTP_PROXY: proxy.origin,
    http_proxy: proxy.origin,
    ALL_PROXY: proxy.origin,
    NO_PROXY: '',
  });
  try {
    expect((await clientOf(server.origin).send(POST, SEND)).kind).toBe('answer');
  } finally {
    process.env = saved;
  }
  expect(proxy.connections).toEqual([]);
});

test('the request carries exactly our headers, each once', async () => {
  const server = await hostile({ onRequest: ok });
  await clientOf(server.origin).send(POST, SEND);
  const [head = '', body] = server.requests()[0]?.split('\r\n\r\n') ?? [];
  const lines = head
    .split('\r\n')
    .slice(1)
    .map((line) => line.replace(/^[^:]+/, (name) => name.toLowerCase()));
  expect(lines.sort()).toEqual([
    'accept-encoding: identity',
    'accept: application/json',
    'connection: close',
    'content-length: 2',
    'content-type: application/json',
    `host: 127.0.0.1:${server.port}`,
    'user-agent: tramita',
    `x-api-key: ${KEY}`,
  ]);
  expect(body).toBe('{}');
});

test('bearer authentication sends no x-api-key', async () => {
  const server = await hostile({ onRequest: ok });
  await createServiceClient({ baseUrl: server.origin, apiKey: KEY, auth: 'bearer' }).send(GET, SEND);
  expect(server.requests()[0]?.toLowerCase()).toContain(`authorization: bearer ${KEY}`);
  expect(server.requests()[0]?.toLowerCase()).not.toContain('x-api-key');
});

test.each([
  "/v1/x?q='a'",
  '/v1/../v1/x',
  '/v1/x?',
  '/v1/x?a=%2F&b=+&c=%7e',
  '/v1//x',
  '/v1/x?a[]=1&&b',
  '/v1/x?a=%zz;b',
  '/v1/./x',
  '/v1/x?u=http://a.b/c',
])('the target %s arrives byte for byte', async (target) => {
  const server = await hostile({ onRequest: ok });
  expect((await clientOf(`${server.origin}/prefix/`).send({ method: 'GET', target }, SEND)).kind).toBe('answer');
  expect(server.requests()[0]?.split('\r\n')[0]).toBe(`GET /prefix${target} HTTP/1.1`);
});

test.each(['v1/x', '', '/a b', '/a\r\nX: y', '/ç', '/a#b', 'http://a/b'])(
  'the target %j is refused before anything is sent',
  async (target) => {
    const server = await hostile({ onRequest: ok });
    const exchange = await clientOf(server.origin).send({ method: 'GET', target }, SEND);
    expect(exchange.kind).toBe('not_sent');
    expect(server.connections).toEqual([]);
  },
);

const buildClient = (baseUrl: string, apiKey = KEY): ServiceClient =>
  createServiceClient({ baseUrl, apiKey, auth: 'x-api-key' });

test.each([
  'not a url',
  'ftp://a.example',
  'http://a.example',
  'http://10.0.0.1',
  'https://user:pass@a.example',
  'https://a.example/?q=1',
  'https://a.example/?',
  'https://a.example/#x',
  'https://a.example\\b',
  ' https://a.example',
  'http://127.0.0.1.a.example',
  '//a.example',
])('the base URL %j is refused with the name of the setting', (baseUrl) => {
  expect(() => buildClient(baseUrl)).toThrow(/^tramita: the base URL .*TRAMITA_API_URL/);
  expect(() => buildClient(baseUrl)).not.toThrow(/pass/);
});

test.each([
  'https://a.example',
  'https://a.example:8443/api/',
  'http://localhost:1',
  'http://127.9.9.9:1',
  'http://[::1]:1',
])('the base URL %s is accepted', (baseUrl) => expect(() => buildClient(baseUrl)).not.toThrow());

test.each(['', `${KEY}\n`, `${KEY}\r\nX: y`, `${KEY} `, 'chavé', `${KEY}\u0000`, 'k'.repeat(2_000)])(
  'the key %j is refused without being shown',
  (apiKey) => {
    let message = '';
    try {
      buildClient('https://a.example', apiKey);
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('tramita: the API key');
    expect(message).not.toContain(KEY);
    expect(message).not.toContain('kkk');
  },
);

test('an API key that an answer repeats is replaced in the body', async () => {
  const body = JSON.stringify({ error: { code: 'X', message: `the key ${KEY} is not known, "${KEY}"` } });
  const server = await hostile({ onRequest: (socket) => void socket.end(answer(403, body)) });
  const exchange = await clientOf(server.origin).send(POST, SEND);
  if (exchange.kind !== 'answer') throw new Error(exchange.kind);
  const text = exchange.body.toString();
  expect(text).not.toContain(KEY);
  expect(JSON.parse(text)).toEqual({
    error: { code: 'X', message: 'the key [API key] is not known, "[API key]"' },
  });
});
