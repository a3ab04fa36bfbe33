/**
 * The fault matrix: what the peer does → exchange, judgement, and whether the request really arrived. The rule under test
 * is the send boundary: NOT_SENT means that the server saw nothing of the request.
 */
import { tmpdir } from 'node:os';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { judgeExchange, type Exchange, type Judgement } from '../../src/http/index.js';
import { answer, drip, type OnRequest } from './hostile-server.js';
import { ENVELOPE, GET, KEY, PATIENT, POST, REFRESH, SEND, clientOf, closeServers, hostile } from './send-support.js';

afterEach(closeServers);

const chunked = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const end =
  (bytes: Buffer | string): OnRequest =>
  (socket) =>
    void socket.end(bytes);
const write =
  (bytes: Buffer | string): OnRequest =>
  (socket) =>
    void socket.write(bytes);
const thenReset = (bytes: Buffer | string) => (socket: Socket) => {
  socket.write(bytes, () => setTimeout(() => socket.resetAndDestroy(), 20));
};
const gzip = { 'Content-Encoding': 'gzip' };
const inEncoding = (name: string) => ({ headers: { 'Content-Encoding': name } });
const inCharset = (charset: string, bytes: Buffer | string): OnRequest =>
  end(answer(200, bytes, { headers: { 'Content-Type': `application/json; charset=${charset}` } }));
const IN_LATIN_1 = Buffer.from('{"data":{"classe":"Execução"},"meta":{}}', 'latin1');
// In ASCII only, so that its bytes are valid UTF-8 too.
const IN_UTF_16 = Buffer.from(ENVELOPE, 'utf16le');
const MARKED_UTF_16 = Buffer.from(`\uFEFF${ENVELOPE}`, 'utf16le').swap16();
const retryAfter = { headers: { 'Retry-After': '7' } };
const cutGzip = gzipSync(ENVELOPE).subarray(0, 40);
const uuid = '5f0c1b9e-4a87-4f39-9f3e-0d3a5a7b6c11';

interface Row {
  readonly fault: string;
  readonly onRequest: OnRequest;
  readonly kind: Exchange['kind'];
  readonly outcome: Judgement['outcome'];
  /** The limit that ends the exchange. */
  readonly limit?: { readonly firstByteMs?: number; readonly idleMs?: number; readonly totalMs?: number };
}

const rows: readonly Row[] = [
  {
    fault: 'read, then reset',
    onRequest: (socket) => void socket.resetAndDestroy(),
    kind: 'no_answer',
    outcome: 'UNKNOWN',
  },
  { fault: 'read, then close', onRequest: (socket) => void socket.end(), kind: 'no_answer', outcome: 'UNKNOWN' },
  { fault: 'half a status line', onRequest: end('HTTP/1.1 20'), kind: 'no_answer', outcome: 'UNKNOWN' },
  { fault: 'half a head', onRequest: end('HTTP/1.1 200 OK\r\nContent-Ty'), kind: 'no_answer', outcome: 'UNKNOWN' },
  {
    fault: 'half a head, then reset',
    onRequest: thenReset('HTTP/1.1 200 OK\r\nA: b'),
    kind: 'no_answer',
    outcome: 'UNKNOWN',
  },
  { fault: 'garbage', onRequest: end('\u0000\u0001 not http \r\n\r\n'), kind: 'no_answer', outcome: 'UNKNOWN' },
  {
    fault: 'no answer at all',
    onRequest: () => undefined,
    kind: 'no_answer',
    outcome: 'UNKNOWN',
    limit: { firstByteMs: 2_000 },
  },
  {
    fault: 'a dripping head',
    onRequest: drip('HTTP/1.1 200 OK\r\nA: ', 20, 'a'),
    kind: 'no_answer',
    outcome: 'UNKNOWN',
    limit: { totalMs: 3_000 },
  },
  {
    fault: 'a head over 16 KB',
    onRequest: end(`HTTP/1.1 200 OK\r\nA: ${'a'.repeat(40_000)}\r\n\r\n`),
    kind: 'no_answer',
    outcome: 'UNKNOWN',
  },
  {
    fault: 'length and chunked at once',
    onRequest: end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
    kind: 'no_answer',
    outcome: 'UNKNOWN',
  },
  {
    fault: 'two lengths that differ',
    onRequest: end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n{}'),
    kind: 'no_answer',
    outcome: 'UNKNOWN',
  },
  {
    fault: 'two thousand headers',
    onRequest: end(`HTTP/1.1 200 OK\r\n${'A: bcdefghi\r\n'.repeat(2_000)}\r\n{}`),
    kind: 'no_answer',
    outcome: 'UNKNOWN',
  },
  {
    fault: 'an unrequested upgrade',
    onRequest: end('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    kind: 'no_answer',
    outcome: 'UNKNOWN',
  },
  {
    fault: 'only an interim answer',
    onRequest: end('HTTP/1.1 103 Early\r\n\r\n'),
    kind: 'no_answer',
    outcome: 'UNKNOWN',
  },
  {
    fault: 'body shorter than its length',
    onRequest: end(answer(200, '{"data":', { length: 500 })),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'body reset before its length',
    onRequest: thenReset(answer(200, '{"data":', { length: 500 })),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  { fault: 'chunked body cut', onRequest: end(`${chunked}8\r\n{"data":\r\n`), kind: 'cut', outcome: 'CHARGED_LOST' },
  {
    fault: 'chunked body with a bad size',
    onRequest: end(`${chunked}zz\r\n{}\r\n0\r\n\r\n`),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'a trailer bomb after half a body',
    onRequest: end(`${chunked}1\r\n{\r\n0\r\n${'A: bcdefghi\r\n'.repeat(4_000)}\r\n`),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'a trailer bomb after a whole body',
    onRequest: end(`${chunked}2\r\n{}\r\n0\r\n${'A: bcdefghi\r\n'.repeat(4_000)}\r\n`),
    kind: 'answer',
    outcome: 'DONE',
  },
  {
    fault: 'a chunk extension bomb',
    onRequest: end(`${chunked}2;${'a'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'body cut by the end of the connection',
    onRequest: end(answer(200, '{"data":', { length: false })),
    kind: 'answer',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'body stalls',
    onRequest: write(answer(200, '{"data":', { length: 500 })),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
    limit: { idleMs: 400 },
  },
  {
    fault: 'body drips past the total',
    onRequest: drip(answer(200, '{', { length: 90_000 }), 20),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
    limit: { totalMs: 3_000 },
  },
  {
    fault: 'body over the size limit',
    onRequest: end(answer(200, `"${'a'.repeat(60_000)}"`)),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'gzip cut with a matching length',
    onRequest: end(answer(200, cutGzip, { headers: gzip })),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'text that is not JSON, declared as gzip',
    onRequest: end(answer(200, '<html>maintenance</html>', { headers: gzip })),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'gzip bomb',
    onRequest: end(answer(200, gzipSync(Buffer.alloc(5_000_000, 32)), { headers: gzip })),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'an encoding that is not known',
    onRequest: end(answer(200, gzipSync(ENVELOPE), inEncoding('zstd'))),
    kind: 'cut',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'HTML with status 200',
    onRequest: end(answer(200, '<html>maintenance</html>')),
    kind: 'answer',
    outcome: 'CHARGED_LOST',
  },
  { fault: 'an empty 200', onRequest: end(answer(200)), kind: 'answer', outcome: 'CHARGED_LOST' },
  { fault: 'a 204', onRequest: end('HTTP/1.1 204 No Content\r\n\r\n'), kind: 'answer', outcome: 'CHARGED_LOST' },
  { fault: 'a JSON string', onRequest: end(answer(200, '"done"')), kind: 'answer', outcome: 'CHARGED_LOST' },
  {
    fault: 'an array where an object is expected',
    onRequest: end(answer(200, '[]')),
    kind: 'answer',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'invalid UTF-8',
    onRequest: end(answer(200, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))),
    kind: 'answer',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'an own __proto__ key',
    onRequest: end(answer(200, '{"data":{"__proto__":{"a":1}}}')),
    kind: 'answer',
    outcome: 'CHARGED_LOST',
  },
  {
    fault: 'a redirect',
    onRequest: end(answer(302, '', { headers: { Location: '/v1/elsewhere' } })),
    kind: 'answer',
    outcome: 'UNKNOWN',
  },
  { fault: 'HTTP 408', onRequest: end(answer(408, '{}')), kind: 'answer', outcome: 'UNKNOWN' },
  { fault: 'HTTP 500', onRequest: end(answer(500, '{"error":{"code":"X"}}')), kind: 'answer', outcome: 'UNKNOWN' },
  { fault: 'a gateway page', onRequest: end(answer(502, '<html>')), kind: 'answer', outcome: 'UNKNOWN' },
  { fault: 'a 503 with Retry-After', onRequest: end(answer(503, '', retryAfter)), kind: 'answer', outcome: 'UNKNOWN' },
  { fault: 'HTTP 504', onRequest: end(answer(504, '{"message":"timeout"}')), kind: 'answer', outcome: 'UNKNOWN' },
  { fault: 'a cut 500', onRequest: end(answer(500, '{', { length: 9 })), kind: 'cut', outcome: 'UNKNOWN' },
  { fault: 'HTTP 422', onRequest: end(answer(422, '{"error":{"code":"X"}}')), kind: 'answer', outcome: 'REJECTED' },
  { fault: 'a cut 422', onRequest: end(answer(422, '{', { length: 9 })), kind: 'cut', outcome: 'REJECTED' },
  {
    fault: 'HTTP 429',
    onRequest: end(answer(429, '', retryAfter)),
    kind: 'answer',
    outcome: 'REJECTED',
  },
  { fault: 'a cut 429', onRequest: end(answer(429, '{', { length: 9 })), kind: 'cut', outcome: 'REJECTED' },
  {
    fault: 'a 202',
    onRequest: end(answer(202, `{"data":{"requestId":"${uuid}"}}`)),
    kind: 'answer',
    outcome: 'PENDING',
  },
  {
    fault: 'a cut 202',
    onRequest: end(answer(202, '{', { length: 9, headers: { Location: `/v1/requests/${uuid}` } })),
    kind: 'cut',
    outcome: 'PENDING',
  },
  {
    fault: 'interim answers, then 200',
    onRequest: end(
      Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\n\r\n'), answer(200, ENVELOPE)]),
    ),
    kind: 'answer',
    outcome: 'DONE',
  },
  { fault: 'a byte order mark', onRequest: end(answer(200, `\uFEFF${ENVELOPE}`)), kind: 'answer', outcome: 'DONE' },
  {
    fault: 'whole gzip',
    onRequest: end(answer(200, gzipSync(ENVELOPE), { headers: gzip })),
    kind: 'answer',
    outcome: 'DONE',
  },
  {
    fault: 'whole Brotli',
    onRequest: end(answer(200, brotliCompressSync(ENVELOPE), inEncoding('br'))),
    kind: 'answer',
    outcome: 'DONE',
  },
  {
    fault: 'another character set that is declared',
    onRequest: inCharset('ISO-8859-1', IN_LATIN_1),
    kind: 'answer',
    outcome: 'DONE',
  },
  {
    fault: 'UTF-8 declared as another character set',
    onRequest: inCharset('ISO-8859-1', ENVELOPE),
    kind: 'answer',
    outcome: 'DONE',
  },
  { fault: 'declared UTF-16', onRequest: inCharset('utf-16le', IN_UTF_16), kind: 'answer', outcome: 'DONE' },
  { fault: 'UTF-16 by its mark', onRequest: inCharset('utf-16', MARKED_UTF_16), kind: 'answer', outcome: 'DONE' },
  {
    fault: 'JSON with a wrong content type',
    onRequest: end(answer(200, ENVELOPE, { headers: { 'Content-Type': 'text/html' } })),
    kind: 'answer',
    outcome: 'DONE',
  },
  {
    fault: 'a whole body ended by the end of the connection',
    onRequest: end(answer(200, ENVELOPE, { length: false })),
    kind: 'answer',
    outcome: 'DONE',
  },
];

test.each(rows)(
  '$fault: $kind, $outcome, and the request arrived',
  async ({ onRequest, kind, outcome, limit = {} }) => {
    const server = await hostile({ onRequest });
    const { totalMs = SEND.totalMs, ...more } = limit;
    const exchange = await clientOf(server.origin, { limits: { ...PATIENT, ...more } }).send(POST, { totalMs });
    expect(exchange.kind).toBe(kind);
    expect(judgeExchange(REFRESH, exchange).outcome).toBe(outcome);
    expect(server.requests()).toHaveLength(1);
    expect(server.connections).toHaveLength(1);
    expect(JSON.stringify(exchange)).not.toContain(KEY);
  },
);

test('a cut 202 keeps the request id of its Location', async () => {
  const head = { headers: { Location: `https://elsewhere.example/v1/requests/${uuid}` }, length: 9 };
  const server = await hostile({ onRequest: end(answer(202, '{', head)) });
  const exchange = await clientOf(server.origin).send(POST, SEND);
  const judgement = judgeExchange(REFRESH, exchange);
  expect(judgement).toMatchObject({ outcome: 'PENDING', pending: { requestId: uuid } });
});

describe('complete JSON in an incomplete transfer', () => {
  const missingEnd = Buffer.from(`${chunked}${ENVELOPE.length.toString(16)}\r\n${ENVELOPE}\r\n`);
  const tooLong = answer(200, ENVELOPE, { length: ENVELOPE.length + 40 });
  test.each<readonly [string, OnRequest]>([
    ['the last chunk is missing', end(missingEnd)],
    ['the last chunk is cut', end(Buffer.concat([missingEnd, Buffer.from('0\r\n')]))],
    ['the last chunk never comes', write(missingEnd)],
    ['the last chunk is damaged', end(Buffer.concat([missingEnd, Buffer.from('zz\r\n')]))],
    ['the connection is reset after it', thenReset(missingEnd)],
    ['the length is too large', end(tooLong)],
    ['the length is too large, and the connection stays open', write(tooLong)],
  ])('is the answer, with its charge, when %s', async (_name, onRequest) => {
    const server = await hostile({ onRequest });
    for (const keepAlive of [false, true]) {
      const client = clientOf(server.origin, { limits: { ...PATIENT, idleMs: 400 } });
      const exchange = await client.send(POST, { ...SEND, keepAlive });
      client.close();
      const judgement = judgeExchange(REFRESH, exchange);
      expect(judgement).toMatchObject({ outcome: 'DONE', meta: { charged: 500, balanceAfter: 99_500 } });
    }
    expect(server.requests()).toHaveLength(2);
  });

  test('is the answer where a file might have come', async () => {
    for (const onRequest of [end(missingEnd), write(missingEnd), end(tooLong)]) {
      const server = await hostile({ onRequest });
      const client = clientOf(server.origin, { limits: { ...PATIENT, idleMs: 400 } });
      const exchange = await client.send(GET, { ...SEND, sink: { directory: tmpdir() } });
      expect(judgeExchange(REFRESH, exchange)).toMatchObject({ outcome: 'DONE', meta: { charged: 500 } });
    }
  });

  test('is the last answer on its connection', async () => {
    const server = await hostile({ onRequest: write(tooLong) });
    const client = clientOf(server.origin, { limits: { ...PATIENT, idleMs: 400 } });
    for (const _time of [1, 2]) {
      expect((await client.send(POST, { ...SEND, keepAlive: true })).kind).toBe('answer');
    }
    client.close();
    expect(server.connections).toHaveLength(2);
  });

  test('keeps the request id of accepted work', async () => {
    const bytes = answer(202, `{"data":{"requestId":"${uuid}"}}`, { length: 500 });
    const server = await hostile({ onRequest: end(bytes) });
    const judgement = judgeExchange(REFRESH, await clientOf(server.origin).send(POST, SEND));
    expect(judgement).toMatchObject({ outcome: 'PENDING', pending: { requestId: uuid } });
  });

  test('is required: JSON without its end is a cut answer', async () => {
    for (let length = 1; length < ENVELOPE.length; length += 1) {
      const server = await hostile({ onRequest: end(answer(200, ENVELOPE.slice(0, length), { length: 500 })) });
      expect((await clientOf(server.origin).send(POST, SEND)).kind).toBe('cut');
      await closeServers();
    }
  });
});

test('the head keeps only allow-listed headers and reads Date', async () => {
  const headers = {
    Date: 'Sun, 06 Nov 1994 08:49:37 GMT',
    'Set-Cookie': 'a=b',
    'X-Service-Credits-Remaining': '9.9',
    Server: 'x',
  };
  const server = await hostile({ onRequest: end(answer(200, ENVELOPE, { headers })) });
  const exchange = await clientOf(server.origin).send(POST, SEND);
  if (exchange.kind !== 'answer') throw new Error(exchange.kind);
  expect(Object.keys(exchange.head.headers).sort()).toEqual([
    'content-length',
    'content-type',
    'date',
    'x-service-credits-remaining',
  ]);
  expect(exchange.head.dateMs).toBe(784_111_777_000);
  expect(exchange.body.toString()).toBe(ENVELOPE);
});
