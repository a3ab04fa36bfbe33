/**
 * Unwelcome answers of the service over real sockets: what each means for the charged call and for the poll of its request.
 * The key stays with its origin. Broken transport is in `send-faults.test.ts`.
 */
import { buildRequest, DEFAULT_GAPS, operationOf } from '../../src/contract/index.js';
import { judgeExchange, judgePoll, type Judgement, type PollVerdict } from '../../src/http/index.js';
import { answer } from './hostile-server.js';
import { clientOf, closeServers, ENVELOPE, hostile, KEY, POST, REFRESH, SEND } from './send-support.js';

afterEach(closeServers);

const uuid = '5f0c1b9e-4a87-4f39-9f3e-0d3a5a7b6c11';
const POLL = buildRequest(operationOf('getRequest'), { params: { requestId: uuid }, flags: [] }, DEFAULT_GAPS);
const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
const errorBody = (code: string): string => JSON.stringify({ error: { code, message: 'no' } });

/** These rows are about bytes, not about time: a busy machine must not cut an answer. */
const PATIENT = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, maxBytes: 20_000_000 };

/** Judges the same bytes as the answer to a charged call and to a poll. */
async function judgeBoth(bytes: Buffer): Promise<{ readonly call: Judgement; readonly poll: PollVerdict }> {
  const server = await hostile({ onRequest: (socket) => void socket.end(bytes) });
  const client = clientOf(server.origin, { limits: PATIENT });
  const call = judgeExchange(REFRESH, await client.send(POST, { totalMs: 15_000 }));
  const poll = judgePoll(await client.send(POLL, { totalMs: 15_000, keepAlive: true }), REFRESH);
  client.close();
  expect(server.requests()).toHaveLength(2);
  return { call, poll };
}

interface Row {
  readonly title: string;
  readonly bytes: Buffer;
  readonly call: object;
  readonly poll: object;
}

const rows: readonly Row[] = [
  {
    title: '429 with seconds',
    bytes: answer(429, errorBody('RATE'), { headers: { 'Retry-After': '30' } }),
    call: { outcome: 'REJECTED', retryAfterMs: 30_000, error: { code: 'RATE' } },
    poll: { end: 'again', hintMs: 30_000 },
  },
  {
    title: '429 with a date, relative to the Date header',
    bytes: answer(429, '', { headers: { Date: date, 'Retry-After': date.replace('08:49', '08:51') } }),
    call: { outcome: 'REJECTED', retryAfterMs: 120_000 },
    poll: { end: 'again', hintMs: 120_000 },
  },
  {
    title: '429 with two values',
    bytes: answer(429, '', { headers: { 'Retry-After': '5, 10' } }),
    call: { outcome: 'REJECTED', retryAfterMs: null },
    poll: { end: 'again', hintMs: null },
  },
  {
    title: '429 without Retry-After',
    bytes: answer(429),
    call: { outcome: 'REJECTED', retryAfterMs: null },
    poll: { end: 'again', hintMs: null },
  },
  {
    title: '401',
    bytes: answer(401, errorBody('KEY')),
    call: { outcome: 'REJECTED', aboutBalance: false, error: { code: 'KEY', fromService: true } },
    poll: { end: 'credentials', status: 401 },
  },
  {
    title: '403',
    bytes: answer(403, errorBody('FORBIDDEN')),
    call: { outcome: 'REJECTED', aboutBalance: false },
    poll: { end: 'credentials', status: 403 },
  },
  {
    title: '403 about the balance',
    bytes: answer(403, '{"message":"saldo insuficiente"}'),
    call: { outcome: 'REJECTED', aboutBalance: true },
    poll: { end: 'credentials', status: 403 },
  },
  {
    title: '402 in plain text',
    bytes: answer(402, 'no balance', { headers: { 'Content-Type': 'text/plain', 'X-Service-Credits-Remaining': '0' } }),
    call: { outcome: 'REJECTED', aboutBalance: true, meta: { charged: null, balanceAfter: 0 } },
    poll: { end: 'final', judgement: { outcome: 'REJECTED', aboutBalance: true } },
  },
  {
    title: '404 about the request id',
    bytes: answer(404, errorBody('REQUEST_NOT_FOUND')),
    call: { outcome: 'REJECTED' },
    poll: { end: 'forgotten', status: 404 },
  },
  {
    title: '404 about the case',
    bytes: answer(404, errorBody('CASE_NOT_FOUND')),
    call: { outcome: 'REJECTED' },
    poll: { end: 'final', judgement: { outcome: 'REJECTED', error: { code: 'CASE_NOT_FOUND' } } },
  },
  {
    title: '410',
    bytes: answer(410, errorBody('EXPIRED')),
    call: { outcome: 'REJECTED' },
    poll: { end: 'forgotten', status: 410 },
  },
  {
    title: '500 of the service, with its charge',
    bytes: answer(500, '{"error":{"code":"X"},"meta":{"creditsCharged":0.05}}'),
    call: { outcome: 'UNKNOWN', meta: { charged: 500 } },
    poll: { end: 'final', judgement: { outcome: 'UNKNOWN', meta: { charged: 500 } } },
  },
  {
    title: '503 of a gateway with Retry-After',
    bytes: answer(503, '<html>', { headers: { 'Retry-After': '9' } }),
    call: { outcome: 'UNKNOWN' },
    poll: { end: 'again', hintMs: 9_000 },
  },
  ...[301, 302, 303, 307, 308].map((status) => ({
    title: `${status} within the origin`,
    bytes: answer(status, ENVELOPE, { headers: { Location: '/v1/elsewhere' } }),
    call: { outcome: 'UNKNOWN', reason: `HTTP ${status}`, meta: { charged: 500 } },
    poll: { end: 'again', hintMs: null },
  })),
  {
    title: '202 without any id',
    bytes: answer(202, '{"data":{"pollAfterMs":1500}}'),
    call: { outcome: 'PENDING', pending: { hints: { pollAfterMs: 1_500 } }, hintMs: 1_500 },
    poll: { end: 'still pending', hintMs: 1_500 },
  },
  {
    title: '202 with an invalid id',
    bytes: answer(202, '{"data":{"requestId":"../../conta/saldo"}}', { headers: { Location: '/v1/requests/7' } }),
    call: { outcome: 'PENDING', pending: { hints: {} } },
    poll: { end: 'still pending', hintMs: null },
  },
  {
    title: 'HTML declared as JSON',
    bytes: answer(200, '<!doctype html><p>maintenance'),
    call: { outcome: 'CHARGED_LOST', reason: 'HTTP 200, but the body is not JSON' },
    poll: { end: 'final', judgement: { outcome: 'CHARGED_LOST' } },
  },
  {
    title: 'JSON declared as a picture',
    bytes: answer(200, ENVELOPE, { headers: { 'Content-Type': 'image/png' } }),
    call: { outcome: 'DONE', meta: { charged: 500, balanceAfter: 99_500, metaRequestId: 'm-1' } },
    poll: { end: 'final', judgement: { outcome: 'DONE' } },
  },
  {
    title: 'more than 2 MB',
    bytes: answer(200, JSON.stringify({ data: { text: 'a'.repeat(3_000_000) }, meta: { creditsCharged: 0.05 } })),
    call: { outcome: 'DONE', meta: { charged: 500 } },
    poll: { end: 'final', judgement: { outcome: 'DONE' } },
  },
];

test.each(rows)('the charged call and the poll are judged: $title', async ({ bytes, call, poll }) => {
  const found = await judgeBoth(bytes);
  expect(found.call).toMatchObject(call);
  expect(found.poll).toMatchObject(poll);
  if (found.call.outcome === 'PENDING') expect(found.call.pending).not.toHaveProperty('requestId');
});

test('an answer over the size limit is CHARGED_LOST for the call and ends polling', async () => {
  const server = await hostile({ onRequest: (socket) => void socket.end(answer(200, `"${'a'.repeat(60_000)}"`)) });
  const exchange = await clientOf(server.origin).send(POST, SEND);
  expect(exchange).toMatchObject({ kind: 'cut', tooLarge: true, reason: 'the body is larger than 50000 bytes' });
  expect(judgeExchange(REFRESH, exchange).outcome).toBe('CHARGED_LOST');
  expect(judgePoll(exchange, REFRESH)).toMatchObject({ end: 'final', judgement: { outcome: 'CHARGED_LOST' } });
});

test.each(['statusUrl', 'Location'])(
  'only the id is taken from a %s on another origin, which never receives the key',
  async (where) => {
    const other = await hostile({ onRequest: (socket) => void socket.end(answer(200, ENVELOPE)) });
    const url = `${other.origin}/v1/requests/${uuid}`;
    const pending =
      where === 'Location'
        ? answer(202, '{}', { headers: { Location: url } })
        : answer(202, JSON.stringify({ data: { statusUrl: url } }));
    const server = await hostile({
      onRequest: (socket, request) => void socket.end(request.startsWith('POST') ? pending : answer(200, ENVELOPE)),
    });
    const client = clientOf(server.origin);
    const judgement = judgeExchange(REFRESH, await client.send(POST, SEND));
    if (judgement.outcome !== 'PENDING') throw new Error(judgement.outcome);
    const params = { requestId: judgement.pending.requestId ?? '' };
    await client.send(buildRequest(operationOf('getRequest'), { params, flags: [] }, DEFAULT_GAPS), SEND);
    expect(server.requests()[1]).toContain(`GET /v1/requests/${uuid} HTTP/1.1\r\n`);
    expect(server.requests()[1]).toContain(KEY);
    expect(other.connections).toEqual([]);
  },
);
